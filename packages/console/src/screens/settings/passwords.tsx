import { Alert, NumberInput, Stack, Switch } from '@mantine/core';
import type { Setting } from '../config/queries.ts';
import { SettingForm, type ValueInputs } from './setting-form.tsx';
import { SettingsPageOf } from './settings-page.tsx';

interface PasswordLogin {
  readonly enabled: boolean;
  readonly allow_signup: boolean;
  readonly min_length: number;
}

/** Password sign-in of app users. */
export function Passwords() {
  return (
    <SettingsPageOf path="passwords">
      {(settingOf) => {
        const setting = settingOf('auth.password_login');
        const isAlone = !hasProvider(settingOf('auth.issuers'));
        return (
          setting && (
            <SettingForm
              setting={setting}
              title="Sign-in by password"
              help="A change of the shortest length concerns new passwords. Passwords that users have already stay valid."
              inputs={(inputs) => <PasswordInputs {...inputs} isAlone={isAlone} />}
              shownAtFields={['/min_length']}
            />
          )
        );
      }}
    </SettingsPageOf>
  );
}

function hasProvider(setting: Setting | undefined): boolean {
  if (setting === undefined) return true;
  return [setting.value, setting.prod_value].some((value) => Array.isArray(value) && value.length > 0);
}

interface Props extends ValueInputs {
  /** No provider signs users in. */
  readonly isAlone: boolean;
}

function PasswordInputs({ value, isReadOnly, errorAt, onChange, isAlone }: Props) {
  const { enabled, allow_signup, min_length } = value as PasswordLogin;
  return (
    <Stack gap="sm">
      <Switch
        label="App users may sign in with a password"
        description="Without it only the providers sign users in, and mails for forgotten passwords are not sent."
        checked={enabled}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => onChange({ enabled: checked, allow_signup, min_length })}
      />
      {isAlone && !enabled && (
        <Alert color="yellow" role="note">
          The app has no sign-in provider either, so no user can sign in.
        </Alert>
      )}
      <Switch
        label="An email that has no account may sign up"
        description="Without it such an email is refused. Users who have an account sign in as before."
        checked={allow_signup}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => onChange({ enabled, allow_signup: checked, min_length })}
      />
      <NumberInput
        label="Shortest new password"
        description="In characters, from 8 to 128"
        value={min_length}
        allowDecimal={false}
        readOnly={isReadOnly}
        error={errorAt('/min_length')}
        maw="14rem"
        onChange={(typed) => onChange({ enabled, allow_signup, min_length: typed })}
      />
    </Stack>
  );
}
