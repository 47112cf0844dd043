import { Anchor, Autocomplete, Radio, Stack, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import type { Setting } from '../config/queries.ts';
import { FirstAdmin } from './first-admin.tsx';
import { SettingForm, type ValueInputs } from './setting-form.tsx';
import { SettingsPageOf } from './settings-page.tsx';
import { policiesOfNewWorkspaces } from './template-policies.ts';

/** The way users of the app come into workspaces, and what a new member may do there. */
export function Tenancy() {
  const { env } = usePlace();
  return (
    <SettingsPageOf path="tenancy">
      {(settingOf) => {
        const type = settingOf('tenancy.tenancy_type');
        const founder = settingOf('tenancy.founder_email');
        const access = settingOf('tenancy.default_member_access');
        return (
          <>
            {env === 'prod' && <FirstAdmin />}
            {type && (
              <SettingForm
                setting={type}
                title="Workspaces of users"
                help="A change concerns where new users go. Workspaces that exist, and their members, stay as they are."
                inputs={(inputs) => <TypeInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
            {founder && (
              <SettingForm
                setting={founder}
                title="Who founds the default workspace"
                help="It counts where all users share one workspace, until that is founded. The founder is its first admin."
                inputs={(inputs) => <FounderInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
            {access && <AccessForm setting={access} templates={settingOf('tenancy.workspace_templates')} />}
          </>
        );
      }}
    </SettingsPageOf>
  );
}

function TypeInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <Radio.Group
      label="Where a new user goes"
      value={String(value)}
      readOnly={isReadOnly}
      error={errorAt('')}
      onChange={onChange}
    >
      <Stack gap="xs" mt={4}>
        <Radio
          value="single"
          label="All users share one workspace"
          description="All who sign in join it. In test the first user founds it; in production its first admin is named."
          disabled={isReadOnly}
        />
        <Radio
          value="multi"
          label="Users make workspaces and invite others"
          description="Each customer of the app has a workspace, and a user may be in several."
          disabled={isReadOnly}
        />
      </Stack>
    </Radio.Group>
  );
}

function FounderInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <TextInput
      type="email"
      label="Email of the founder"
      description="Its owner has to verify the address. Empty: in test the first user who signs in, in production the address that it was provisioned with."
      value={typeof value === 'string' ? value : ''}
      readOnly={isReadOnly}
      error={errorAt('')}
      autoComplete="off"
      maw="28rem"
      onChange={({ currentTarget: { value: typed } }) => onChange(typed === '' ? null : typed)}
    />
  );
}

interface AccessProps {
  readonly setting: Setting;
  readonly templates: Setting | undefined;
}

function AccessForm({ setting, templates }: AccessProps) {
  const { org, env } = usePlace();
  return (
    <SettingForm
      setting={setting}
      title="What new members may do"
      help={
        <>
          Workspaces have the policies adminacl and vieweracl, and those of the{' '}
          <Anchor component={Link} underline="always" to={`/o/${org}/${env}/settings/templates`} size="sm">
            template
          </Anchor>
          . A member who joins a workspace that has no policy of this name gets none.
        </>
      }
      inputs={({ value, isReadOnly, errorAt, onChange }) => (
        <Autocomplete
          label="Policy of new members"
          data={[...policiesOfNewWorkspaces(templates?.value)]}
          value={String(value)}
          readOnly={isReadOnly}
          error={errorAt('')}
          maxLength={128}
          maw="28rem"
          onChange={onChange}
        />
      )}
      shownAtFields={['']}
    />
  );
}
