import { Alert, Badge, Checkbox, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { CopyId } from '../../components/copy-id.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './entities.module.css';
import type { Plan } from './queries.ts';

/** The effect of the change, step by step, before it is made. */
export function Impact({ plan: { plan, warnings = [] } }: { readonly plan: Plan }) {
  if (plan.length === 0) return <Text size="sm">This changes nothing.</Text>;
  return (
    <Stack gap="xs">
      <List size="sm" aria-label="What the change does">
        {plan.map((step) => (
          <List.Item key={step.message}>
            <Group gap="xs">
              <Sentence text={step.message} />
              {step.records !== 0 && (
                <Badge variant="light" color={step.examples.length > 0 ? 'red' : 'gray'}>
                  {countOf(step.records)}
                </Badge>
              )}
            </Group>
            {step.examples.length > 0 && (
              <details>
                <summary>Some of these records</summary>
                <List size="xs">
                  {step.examples.map(({ tenant_code, id, errors = [] }) => (
                    <List.Item key={id}>
                      {tenant_code} <CopyId value={id} what="id of the record" />
                      {errors.map(({ message }) => ` ${message}`).join(';')}
                    </List.Item>
                  ))}
                </List>
              </details>
            )}
          </List.Item>
        ))}
      </List>
      {warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed">
          <Sentence text={warning} />
        </Text>
      ))}
    </Stack>
  );
}

function countOf(records: Plan['plan'][number]['records']): string {
  return typeof records === 'number' ? counted(records, 'record') : `at least ${counted(records.atLeast, 'record')}`;
}

interface ForceProps {
  readonly plan: Plan;
  readonly entity: string;
  /** What was ticked or typed so far. */
  readonly consent: Consent;
  readonly onChange: (consent: Consent) => void;
}

export interface Consent {
  readonly mayFail: boolean;
  readonly mayRevive: boolean;
  readonly typedName: string;
}

export const noConsent: Consent = { mayFail: false, mayRevive: false, typedName: '' };

/** Whether the change is made with `force` alone. */
export function needsForce({ would_fail, would_lose, would_revive }: Plan): boolean {
  return would_fail || would_lose || would_revive !== undefined;
}

/** Why the change cannot be made yet; undefined where it can. */
export function consentMissing(
  { would_fail, would_lose, would_revive }: Plan,
  entity: string,
  consent: Consent,
): string | undefined {
  if (would_lose && consent.typedName !== entity)
    return 'The change erases values. Type the name of the entity to confirm it.';
  if (would_fail && !consent.mayFail)
    return 'Records contradict the change. Correct them, or say that it may be made all the same.';
  if (would_revive !== undefined && !consent.mayRevive)
    return 'Policies name a removed field. Correct them, or say that they may apply to the new one.';
  return undefined;
}

/** Says what `force` means for this change, and asks for it. */
export function Force({ plan: { would_fail, would_lose, would_revive }, entity, consent, onChange }: ForceProps) {
  return (
    <>
      {would_fail && (
        <Alert color="yellow" classNames={{ title: classes.alertTitle ?? '' }} title="Records contradict the change.">
          <Stack gap="xs">
            <Text size="sm">
              Correct them first, or make the change with force: they can still be read, and must meet the rule when
              they are next written. Values that cannot be converted are read as none.
            </Text>
            <Checkbox
              label="Make it all the same"
              checked={consent.mayFail}
              onChange={({ currentTarget: { checked } }) => onChange({ ...consent, mayFail: checked })}
            />
          </Stack>
        </Alert>
      )}
      {would_revive !== undefined && (
        <Alert
          color="yellow"
          classNames={{ title: classes.alertTitle ?? '' }}
          title="A field gets the name of a removed one, which policies name."
        >
          <Stack gap="xs">
            <Text size="sm">
              What these policies granted or denied of the removed field would apply to the new one.
              {would_revive.length === 0 ? ' There are too many policies to look at all of them.' : ''}
            </Text>
            {would_revive.map(({ name, policies, examples }) => (
              <Text key={name} size="sm">
                {name}: {counted(policies, 'policy', 'policies')}
                {examples.map(({ tenant_code, id }) => (
                  <span key={id}>
                    , {tenant_code} <CopyId value={id} what="id of the policy" />
                  </span>
                ))}
              </Text>
            ))}
            <Checkbox
              label="Let them apply to the new field"
              checked={consent.mayRevive}
              onChange={({ currentTarget: { checked } }) => onChange({ ...consent, mayRevive: checked })}
            />
          </Stack>
        </Alert>
      )}
      {would_lose && (
        <Alert
          color="red"
          classNames={{ title: classes.alertTitle ?? '' }}
          title="The change erases values of records, for good."
        >
          <TextInput
            label={`Type ${entity} to confirm it`}
            value={consent.typedName}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => onChange({ ...consent, typedName: value })}
          />
        </Alert>
      )}
    </>
  );
}
