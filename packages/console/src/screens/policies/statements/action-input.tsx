import { systemEntityNames } from '@freehold/contract/system-entities';
import { Button, Chip, Code, Collapse, Fieldset, Group, MultiSelect, Stack, TagsInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../../api/session.ts';
import { counted } from '../../../components/words/counted.ts';
import { blockNamesQuery } from '../../config/queries.ts';
import type { Finding } from '../queries.ts';
import { actionsOf, matches, patternsOf, type Verb, verbs, workspaceActions } from './action-patterns.ts';
import { Findings } from './findings.tsx';
import { type Written, withValues } from './statement-form.ts';

interface Props {
  readonly actions: Written<string>;
  readonly entities: readonly string[];
  readonly isReadOnly: boolean;
  readonly findings: readonly Finding[];
  readonly onChange: (actions: Written<string>) => void;
}

/** The actions of a statement: typed as patterns, or chosen as verbs and entities. Shows what they match. */
export function ActionInput({ actions, entities, isReadOnly, findings, onChange }: Props) {
  const [isChoosing, setIsChoosing] = useState(false);
  const { env } = usePlace();
  const blocks = useQuery(blockNamesQuery(env)).data ?? [];
  const { values } = actions;
  const set = (patterns: readonly string[]) => onChange(withValues(actions, [...new Set(patterns)]));
  return (
    <Stack gap="xs">
      <TagsInput
        label="Actions"
        description="A verb and an entity, such as getorder, or run and a logic block. * is any run of characters, ? is one."
        value={[...values]}
        readOnly={isReadOnly}
        error={findings.some(({ severity }) => severity === 'error')}
        splitChars={[',', ' ']}
        onChange={set}
      />
      <Matched patterns={values} all={actionsOf(entities, blocks)} />
      <Findings findings={findings} />
      {!isReadOnly && (
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          aria-expanded={isChoosing}
          onClick={() => setIsChoosing(!isChoosing)}
        >
          Choose actions
        </Button>
      )}
      <Collapse expanded={isChoosing}>
        {isChoosing && (
          <Chooser
            entities={entities}
            blocks={blocks}
            onAdd={(added) => set([...values, ...added])}
            onClose={() => setIsChoosing(false)}
          />
        )}
      </Collapse>
    </Stack>
  );
}

interface ChooserProps {
  readonly entities: readonly string[];
  readonly blocks: readonly string[];
  readonly onAdd: (patterns: readonly string[]) => void;
  readonly onClose: () => void;
}

function Chooser({ entities, blocks, onAdd, onClose }: ChooserProps) {
  const [chosen, setChosen] = useState<readonly Verb[]>([]);
  const [about, setAbout] = useState<readonly string[]>([]);
  const [run, setRun] = useState<readonly string[]>([]);
  const patterns = patternsOf({ verbs: chosen, entities: about, blocks: run });
  return (
    <Fieldset aria-label="Choose actions">
      <Stack gap="xs">
        {' '}
        <Chip.Group
          multiple
          value={[...chosen]}
          onChange={(names) => setChosen(verbs.map(([verb]) => verb).filter((verb) => names.includes(verb)))}
        >
          <Group gap={6}>
            {verbs.map(([verb, about]) => (
              <Chip key={verb} value={verb} size="sm" title={`May ${about}`}>
                {verb}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Text size="sm" c="dimmed">
          {chosen.length === 0
            ? 'No verb chosen means all of them.'
            : verbs
                .filter(([verb]) => chosen.includes(verb))
                .map(([verb, about]) => `${verb}: ${about}`)
                .join('; ')}
        </Text>
        <MultiSelect
          label="Entities"
          placeholder={about.length === 0 ? 'All of them' : ''}
          data={[
            { group: 'Entities', items: [...entities] },
            { group: 'Access control', items: [...systemEntityNames] },
          ]}
          value={[...about]}
          searchable
          clearable
          onChange={setAbout}
        />
        {blocks.length > 0 && (
          <MultiSelect
            label="Logic blocks to run"
            placeholder={run.length === 0 ? 'None' : ''}
            data={[{ value: '*', label: 'All logic blocks' }, ...blocks]}
            value={[...run]}
            searchable
            clearable
            onChange={setRun}
          />
        )}
        <Group gap="xs">
          <Button
            size="compact-sm"
            onClick={() => {
              onAdd(patterns);
              onClose();
            }}
          >
            Add {patterns.length === 1 ? patterns[0] : `${patterns.length} actions`}
          </Button>
          {workspaceActions.map((action) => (
            <Button key={action} variant="default" size="compact-sm" onClick={() => onAdd([action])}>
              Add {action}
            </Button>
          ))}
        </Group>
      </Stack>
    </Fieldset>
  );
}

const matchesShown = 40;

function Matched({
  patterns,
  all,
}: {
  readonly patterns: readonly string[];
  /** Every action that there is. */
  readonly all: readonly string[];
}) {
  const [isOpen, setIsOpen] = useState(false);
  const found = all.filter((action) => patterns.some((pattern) => matches(pattern, action)));
  if (patterns.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Without an action the statement says nothing.
      </Text>
    );
  return (
    <div>
      <Button variant="transparent" size="compact-xs" px={0} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {found.length === all.length
          ? `Matches every action (${all.length})`
          : `Matches ${counted(found.length, 'action')}`}
      </Button>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Text size="sm" component="div">
            {found.slice(0, matchesShown).map((action) => (
              <Code key={action} mr={4}>
                {action}
              </Code>
            ))}
            {found.length > matchesShown && ` and ${found.length - matchesShown} more`}
          </Text>
        )}
      </Collapse>
    </div>
  );
}
