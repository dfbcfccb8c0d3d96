import { cloneElement, type ComponentType, type ReactElement, useEffect, useRef, useState } from 'react';

import { useErrorText } from './ErrorState.js';
import { loadLater } from './load-later.js';

type ButtonProps = {
  title?: string | undefined;
  'aria-haspopup'?: 'menu' | 'dialog';
  'aria-expanded'?: boolean;
  onClick?: () => void;
  onFocus?: () => void;
  onPointerEnter?: () => void;
};

export interface DropdownProps {
  /** Opens it. */
  button: ReactElement<ButtonProps>;
}

/**
 * A button whose menu is loaded when somebody is about to open it: floating-ui and all around it weigh 40 KB, and the first page
 * has fifteen of them.
 */
export function lazyDropdown<Name extends string, Props extends DropdownProps>(
  file: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  popup: 'menu' | 'dialog',
): ComponentType<Props> {
  const { load, loaded } = loadLater(file, name);
  return function Dropdown(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>();
    const [error, setError] = useState<unknown>();
    const textOf = useErrorText();
    if (Loaded !== undefined) return <Loaded {...props} />;
    // The click loads it again, and shows the error.
    const preload = () => void (loaded() ?? load().catch(() => undefined));
    const open = () => void load().then((component) => setLoaded(() => component), setError);
    return cloneElement(props.button, {
      ...{ 'aria-haspopup': popup, 'aria-expanded': false },
      ...(error !== undefined && { title: textOf(error) }),
      ...{ onClick: open, onFocus: preload, onPointerEnter: preload },
    });
  };
}

/** Of a dropdown that has just taken the place of its button: it has the focus again, and is opened. */
export function useOpened() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return { isOpen, setOpen, button };
}
