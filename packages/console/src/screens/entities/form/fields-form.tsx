import { Badge, Button, Collapse, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/problem.ts';
import { ChevronIcon } from '../../../components/icons.tsx';
import {
  type Definition,
  type DefinitionFormProps,
  type Field,
  isRequired,
  storedField,
  typeOf,
} from '../definition.ts';
import classes from '../entities.module.css';
import { FieldDetails } from './field-details.tsx';

interface Props extends DefinitionFormProps {
  /** The definition that is stored; undefined of a new entity. */
  readonly stored: Definition | undefined;
}

/** The fields as a form. A field that is changed or wrong shows it at its edge. */
export function FieldsForm({ definition, stored, isReadOnly, problem, onChange }: Props) {
  const fields = definition.UpdateParams ?? [];
  const [open, setOpen] = useState<number>();
  const before = stored?.UpdateParams ?? [];
  const setFields = (UpdateParams: readonly Field[]) => onChange({ ...definition, UpdateParams });
  return (
    <Stack gap="xs" component="section" aria-label="Fields">
      {fields.map((field, index) => {
        const old = storedField(before, field);
        return (
          <FieldCard
            // The place of a field is what it is known by while its name is typed.
            // biome-ignore lint/suspicious/noArrayIndexKey: the same
            key={index}
            field={field}
            stored={old}
            isOfNewEntity={stored === undefined}
            isChanged={JSON.stringify(old) !== JSON.stringify(field)}
            isReadOnly={isReadOnly}
            isOpen={open === index}
            messages={messagesAt(problem, `/UpdateParams/${index}`)}
            onToggle={() => setOpen(open === index ? undefined : index)}
            onChange={(changed) => setFields(fields.with(index, changed))}
            onRemove={() => {
              setOpen(undefined);
              setFields(fields.toSpliced(index, 1));
            }}
          />
        );
      })}
      {!isReadOnly && (
        <Button
          variant="default"
          w="fit-content"
          onClick={() => {
            setOpen(fields.length);
            setFields([...fields, { name: freeName(fields) }]);
          }}
        >
          Add field
        </Button>
      )}
    </Stack>
  );
}

function freeName(fields: readonly Field[]): string {
  const names = new Set(fields.map(({ name }) => name));
  for (let number = fields.length + 1; ; number++) if (!names.has(`field_${number}`)) return `field_${number}`;
}

/** What the server says of a part of the definition: by the member, `''` for the part as a whole. */
export function messagesAt(problem: ApiProblem | undefined, pointer: string): ReadonlyMap<string, string> {
  const found = (problem?.errors ?? []).filter(
    (error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`),
  );
  return new Map(found.map((error) => [error.pointer.slice(pointer.length + 1).split('/')[0] ?? '', error.message]));
}

interface CardProps {
  readonly field: Field;
  readonly stored: Field | undefined;
  readonly isOfNewEntity: boolean;
  readonly isChanged: boolean;
  readonly isReadOnly: boolean;
  readonly isOpen: boolean;
  readonly messages: ReadonlyMap<string, string>;
  readonly onToggle: () => void;
  readonly onChange: (field: Field) => void;
  readonly onRemove: () => void;
}

function FieldCard({ field, stored, isChanged, isOpen, messages, onToggle, onRemove, ...rest }: CardProps) {
  const own = messages.get('');
  return (
    <Paper
      withBorder
      className={classes.field}
      {...(isChanged && !rest.isReadOnly ? { 'data-changed': true } : {})}
      {...(messages.size > 0 ? { 'data-wrong': true } : {})}
    >
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={onToggle}>
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Text fw={500}>{field.name}</Text>
            <Text size="sm" c="dimmed">
              {typeOf(field)}
            </Text>
          </Group>
          <Group gap={4} wrap="nowrap">
            <Marks
              field={field}
              isNew={stored === undefined}
              isWrong={messages.size > 0}
              isReadOnly={rest.isReadOnly}
            />
            <ChevronIcon size={12} />
          </Group>
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack className={classes.details} gap="sm">
            {own !== undefined && (
              <Text size="sm" c="red" role="alert">
                {own}
              </Text>
            )}
            <FieldDetails {...rest} field={field} stored={stored} errorAt={(hint) => messages.get(hint)} />
            {!rest.isReadOnly && (
              <Button variant="subtle" color="red" size="compact-sm" w="fit-content" onClick={onRemove}>
                Remove field
              </Button>
            )}
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

interface MarksProps {
  readonly field: Field;
  readonly isNew: boolean;
  readonly isWrong: boolean;
  readonly isReadOnly: boolean;
}

function Marks({ field, isNew, isWrong, isReadOnly }: MarksProps) {
  const marks = [
    ...(isWrong ? [['wrong', 'red'] as const] : []),
    ...(isNew && !isReadOnly ? [['new', 'cyan'] as const] : []),
    ...(field.renamedFrom !== undefined ? [['renamed', 'cyan'] as const] : []),
    ...(typeof field.convert === 'string' ? [['converted', 'cyan'] as const] : []),
    ...(isRequired(field) ? [['required', 'gray'] as const] : []),
    ...(field.index === true ? [['index', 'gray'] as const] : []),
    ...(field.search === true ? [['search', 'gray'] as const] : []),
  ];
  return marks.map(([mark, color]) => (
    <Badge key={mark} size="sm" variant="dot" color={color}>
      {mark}
    </Badge>
  ));
}
