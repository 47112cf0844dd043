import { Anchor, Badge, Button, Code, Fieldset, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { UnsavedGuard } from '../../components/unsaved-guard.tsx';
import type { Setting } from '../config/queries.ts';
import { ResetSetting } from './reset-setting.tsx';
import { SettingConflict } from './setting-conflict.tsx';
import classes from './settings.module.css';
import { type SettingDraft, useSettingDraft } from './use-setting-draft.ts';

export interface ValueInputs {
  readonly value: unknown;
  readonly isReadOnly: boolean;
  /** Of the value, by a pointer into it. */
  readonly errorAt: (pointer: string) => string | undefined;
  readonly onChange: (value: unknown) => void;
}

interface Props {
  readonly setting: Setting;
  readonly title: string;
  /** What it means in plain words, below what the platform says of it. */
  readonly help?: ReactNode;
  readonly inputs: (inputs: ValueInputs) => ReactNode;
  /** Pointers of mistakes that the inputs show. */
  readonly shownAtFields?: readonly string[];
  /** What belongs to the setting, and is not a part of its value. */
  readonly beside?: ((draft: SettingDraft) => ReactNode) | undefined;
}

/** A setting that is edited in a form: what it does, its default, its value, and the value of production where it has one. */
export function SettingForm({ setting, title, help, inputs, shownAtFields = [], beside }: Props) {
  const draft = useSettingDraft(setting);
  const { env, readOnlyReason, adminReason } = usePlace();
  const whyReadOnly = readOnlyReason ?? adminReason;
  const { content } = draft;
  const hasOwn = 'prod_value' in content;
  const of = (member: 'value' | 'prod_value'): ValueInputs => ({
    value: content[member],
    isReadOnly: whyReadOnly !== undefined,
    errorAt: (pointer) => draft.errorAt(`/${member}${pointer}`),
    onChange: (value) => draft.change({ ...content, [member]: value }),
  });
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <UnsavedGuard isDirty={draft.isDirty} />
      <Stack>
        <Facts setting={setting} title={title} />
        {help !== undefined && <Text size="sm">{help}</Text>}
        {env === 'prod' ? (
          <Fieldset legend={hasOwn ? 'The value of production' : 'The value'}>
            {inputs(of(hasOwn ? 'prod_value' : 'value'))}
          </Fieldset>
        ) : (
          <>
            {hasOwn ? <Fieldset legend="Test">{inputs(of('value'))}</Fieldset> : inputs(of('value'))}
            <Switch
              label="Production has its own value"
              description="It is deployed with the setting."
              checked={hasOwn}
              disabled={whyReadOnly !== undefined}
              onChange={({ currentTarget: { checked } }) =>
                draft.change(checked ? { value: content.value, prod_value: content.value } : { value: content.value })
              }
            />
            {hasOwn && <Fieldset legend="Production">{inputs(of('prod_value'))}</Fieldset>}
          </>
        )}
        {beside?.(draft)}
        {draft.isOvertaken ? (
          <SettingConflict draft={draft} />
        ) : (
          <ProblemAlert
            error={draft.problem}
            shownAtFields={shownAtFields.flatMap((pointer) => [`/value${pointer}`, `/prod_value${pointer}`])}
          />
        )}
        {env === 'test' && <Actions setting={setting} draft={draft} whyReadOnly={whyReadOnly} />}
      </Stack>
    </Paper>
  );
}

function Facts({ setting, title }: { readonly setting: Setting; readonly title: string }) {
  const { org, env } = usePlace();
  const { group, name, version, description, default: byDefault } = setting;
  const key = `${group}.${name}`;
  const item = `/o/${org}/${env}/config/settings/${key}`;
  const text = JSON.stringify(byDefault);
  return (
    <div>
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2}>{title}</Title>
          <Badge variant="dot" color={version === 0 ? 'gray' : 'teal'} tt="none">
            {version === 0 ? 'default' : `set, version ${version}`}
          </Badge>
        </Group>
        <Group gap="md">
          {env === 'test' && version > 0 && (
            <Anchor component={Link} to={item} search={{ tab: 'versions' } as never} size="sm">
              Versions of {key}
            </Anchor>
          )}
          <Anchor component={Link} to={item} size="sm">
            {key} as JSON
          </Anchor>
        </Group>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        <Sentence text={description} />{' '}
        {text.length <= 80 && (
          <>
            The default is <Code className={classes.value}>{text}</Code>.
          </>
        )}{' '}
        Admins of the org change it.
      </Text>
      {text.length > 80 && <JsonBlock label="The default" value={byDefault} />}
    </div>
  );
}

interface ActionsProps {
  readonly setting: Setting;
  readonly draft: SettingDraft;
  readonly whyReadOnly: string | undefined;
}

function Actions({ setting, draft, whyReadOnly }: ActionsProps) {
  return (
    <Group justify="flex-end">
      {draft.isSaved && (
        <Text size="sm" c="dimmed" role="status">
          Saved
        </Text>
      )}
      {setting.version > 0 && (
        <ResetSetting name={draft.key} version={setting.version} reason={whyReadOnly} onReset={draft.discard} />
      )}
      {draft.isDirty && (
        <Button variant="default" onClick={draft.discard}>
          Discard the changes
        </Button>
      )}
      <ReasonedButton
        reason={whyReadOnly ?? (draft.isDirty ? undefined : 'Nothing is changed.')}
        loading={draft.isSaving}
        onClick={draft.save}
      >
        Save {draft.key}
      </ReasonedButton>
    </Group>
  );
}
