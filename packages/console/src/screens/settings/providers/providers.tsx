import { useSearch } from '@tanstack/react-router';
import { SettingForm } from '../setting-form.tsx';
import { SettingsPageOf } from '../settings-page.tsx';
import { ProviderList } from './provider-list.tsx';
import { SignInResult } from './sign-in-result.tsx';

/** The providers that sign the users of the app in. */
export function Providers() {
  const { test } = useSearch({ from: '/o/$org/$env/settings/providers' });
  return (
    <SettingsPageOf path="providers">
      {(settingOf) => {
        const setting = settingOf('auth.issuers');
        return (
          <>
            {test === 'result' && <SignInResult />}
            {setting && (
              <SettingForm
                setting={setting}
                title="Providers"
                help="Two providers are one user only if both have verified the same email. A user comes with a provider’s identity token, which has to hold an email."
                inputs={(inputs) => <ProviderList {...inputs} />}
              />
            )}
          </>
        );
      }}
    </SettingsPageOf>
  );
}
