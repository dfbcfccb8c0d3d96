import { notifications } from '@mantine/notifications';

import { useErrorText } from '../../ui/ErrorState.js';

/** For what is changed by one click, without a form that could say so: why it was not. */
export function useRemark(): (error: unknown) => void {
  const textOf = useErrorText();
  return (error) => void notifications.show({ color: 'red', message: textOf(error) });
}
