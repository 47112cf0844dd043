import { NumberInput, Switch, Text } from '@mantine/core';
import { SettingForm, type ValueInputs } from './setting-form.tsx';
import { SettingsPageOf } from './settings-page.tsx';

/** Settings of access control. */
export function AccessSettings() {
  return (
    <SettingsPageOf path="access">
      {(settingOf) => {
        const cache = settingOf('acl.cache_seconds');
        const escalation = settingOf('acl.escalation_check');
        const decisions = settingOf('acl.record_decisions');
        return (
          <>
            {cache && (
              <SettingForm
                setting={cache}
                title="How long access is kept in memory"
                help={<CacheHelp />}
                inputs={(inputs) => <CacheInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
            {escalation && (
              <SettingForm
                setting={escalation}
                title="Grants are held to the rights of who grants"
                help="Switched off, a user who may write policies can grant himself and others everything in the workspace."
                inputs={(inputs) => <EscalationInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
            {decisions && (
              <SettingForm
                setting={decisions}
                title="Decisions are recorded"
                help="The policy lab tries drafts on these samples, and suggests the least that members need. Switched off, nothing more is recorded within a minute, and what is recorded goes after its seven days."
                inputs={(inputs) => <DecisionsInput {...inputs} />}
                shownAtFields={['']}
              />
            )}
          </>
        );
      }}
    </SettingsPageOf>
  );
}

function CacheHelp() {
  return (
    <Text size="sm" component="span">
      A change of policies, groups and memberships holds at once on the node that makes it. Another node goes on with
      what it has read for this many seconds at most: a member who was removed may still read there for that time. 0
      reads the rights again for each call, which costs time. A platform of one node notices no difference.
    </Text>
  );
}

function CacheInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <NumberInput
      label="Seconds"
      description="From 0 to 300"
      value={value as number | string}
      allowDecimal={false}
      readOnly={isReadOnly}
      error={errorAt('')}
      maw="14rem"
      onChange={onChange}
    />
  );
}

function DecisionsInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <Switch
      label="Samples of decisions are kept for seven days"
      checked={value === true}
      disabled={isReadOnly}
      error={errorAt('')}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
    />
  );
}

function EscalationInput({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  return (
    <Switch
      label="Callers may grant only permissions that they hold"
      checked={value === true}
      disabled={isReadOnly}
      error={errorAt('')}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
    />
  );
}
