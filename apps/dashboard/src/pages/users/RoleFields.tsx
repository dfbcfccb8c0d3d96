import { Fieldset, NativeSelect, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useGroups } from '../../features/administration/groups.js';
import { fieldOf } from '../../ui/FormModal.js';
import { type Role, ROLES, type Roles } from './users.js';

const OF_GROUP = 'group:';

/** A role of everything, and one of each group. */
export function RoleFields({ roles }: { roles: Roles }) {
  const { t } = useTranslation();
  const groups = useGroups().data?.groups.data ?? [];
  const names = ROLES.map((role) => ({ value: role, label: t(`users.roles.${role}`) }));
  const field = (name: string, label: string, role: Role | null | undefined) => (
    <NativeSelect
      key={name}
      name={name}
      label={label}
      defaultValue={role ?? ''}
      data={[{ value: '', label: t('users.roles.none') }, ...names]}
    />
  );
  return (
    <>
      {field('role', t('users.role'), roles.role)}
      {groups.length > 0 && (
        <Fieldset legend={t('users.groupRoles')}>
          <Stack gap="xs" mah={240} style={{ overflowY: 'auto' }}>
            {groups.map(({ groupId, name }) => field(OF_GROUP + groupId, name, roles.groups[groupId]))}
          </Stack>
        </Fieldset>
      )}
    </>
  );
}

/** @param before roles that stay where the form has no field for them */
export function rolesOf(form: FormData, before: Roles): Roles {
  const roleIn = (name: string) => ROLES.find((role) => role === fieldOf(form, name)) ?? null;
  const groups = { ...before.groups };
  for (const name of form.keys()) {
    if (!name.startsWith(OF_GROUP)) continue;
    const [id, role] = [name.slice(OF_GROUP.length), roleIn(name)];
    if (role === null) delete groups[id];
    else groups[id] = role;
  }
  return { role: roleIn('role'), groups };
}
