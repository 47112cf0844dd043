import { SettingForm } from './setting-form.tsx';
import { SettingsPageOf } from './settings-page.tsx';
import { TextListInput } from './text-list-input.tsx';

/** The hosts that logic blocks may call. */
export function OutgoingCalls() {
  return (
    <SettingsPageOf path="outgoing-calls">
      {(settingOf) => {
        const setting = settingOf('automation.http_hosts');
        return (
          setting && (
            <SettingForm
              setting={setting}
              title="Hosts that logic blocks may call"
              help="An entry names a host in lower case, without scheme, port and path. *.example.com covers every host below example.com, and not example.com itself. The platform calls public addresses by https only, whatever the list says; in development also this machine."
              inputs={(inputs) => (
                <TextListInput
                  {...inputs}
                  what="host"
                  placeholder="api.example.com"
                  description="Such as api.example.com or *.example.com"
                  empty="The list is empty: logic blocks call no other system."
                />
              )}
            />
          )
        );
      }}
    </SettingsPageOf>
  );
}
