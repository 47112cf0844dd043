import { TextInput } from '@mantine/core';
import { SettingForm, type ValueInputs } from '../setting-form.tsx';
import { SettingsPageOf } from '../settings-page.tsx';
import { TextListInput } from '../text-list-input.tsx';
import { RefusedOrigins } from './refused-origins.tsx';

/** The pages that may call the app, and the page that mails lead to. */
export function Origins() {
  return (
    <SettingsPageOf path="origins">
      {(settingOf) => {
        const origins = settingOf('auth.allowed_domains');
        const page = settingOf('auth.app_url');
        return (
          <>
            {origins && (
              <SettingForm
                setting={origins}
                title="Allowed origins"
                help="An origin is a scheme, a host and a port, without path and wildcard. A call from another page is carried out, and its page cannot read the reply. Calls of servers and of the command line have no origin."
                inputs={(inputs) => (
                  <TextListInput
                    {...inputs}
                    what="origin"
                    placeholder="https://app.example.com"
                    description="Such as https://app.example.com or capacitor://localhost; localhost means each of its ports, also at 127.0.0.1 and [::1]"
                    empty="The list is empty: no page of a browser can read what the app replies."
                  />
                )}
                beside={(draft) => <RefusedOrigins draft={draft} />}
              />
            )}
            {page && (
              <SettingForm
                setting={page}
                title="The page that links lead to"
                inputs={(inputs) => <PageInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
          </>
        );
      }}
    </SettingsPageOf>
  );
}

function PageInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <TextInput
      label="Address of the page"
      description="Left empty, links lead to the first of the allowed origins."
      placeholder="https://app.example.com/start"
      value={value === null ? '' : String(value)}
      readOnly={isReadOnly}
      error={errorAt('')}
      autoComplete="off"
      maw="34rem"
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
    />
  );
}
