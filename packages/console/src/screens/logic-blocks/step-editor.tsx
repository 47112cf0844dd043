import { ActionIcon, Collapse, Group, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { ChevronIcon, CloseIcon } from '../../components/icons.tsx';
import { markedError } from '../../components/refusal/field-error.tsx';
import { JsonValueInput } from '../../components/schema-form/json-value-input.tsx';
import { MemberInputs } from '../../components/schema-form/schema-form.tsx';
import classes from './logic-blocks.module.css';
import { OnErrorInput } from './on-error-input.tsx';
import type { StepForm } from './step-form.ts';
import { stepWords } from './step-words.ts';
import { summaryOf, textMember } from './steps.ts';
import { StepsWithin } from './steps-within.tsx';

interface Props {
  readonly form: StepForm;
  readonly step: object;
  readonly place: { readonly index: number; readonly count: number };
  readonly pointer: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: (step: object) => void;
  /** Puts the step at another place of its list. */
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
  readonly drag: {
    readonly isOver: boolean;
    readonly onStart: () => void;
    readonly onEnd: () => void;
    readonly onDrop: () => void;
  };
}

/** A step: its head moves it, and its form is shown once it is opened. */
export function StepEditor(props: Props) {
  const { form, step, place, pointer, isOpen, onToggle, onMove, drag } = props;
  const { index } = place;
  const [id, type] = [textMember(step, 'id'), textMember(step, 'type')];
  const isWrong = form.isWrongAt(pointer);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || form.isReadOnly || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? index - 1 : index + 1);
  };
  return (
    <Paper
      withBorder
      component="li"
      className={classes.step ?? ''}
      aria-label={`Step ${id}`}
      {...(isWrong ? { 'data-wrong': true } : {})}
      {...(drag.isOver ? { 'data-over': true } : {})}
      onDragOver={(event) => {
        if (drag.isOver) event.preventDefault();
      }}
      onDrop={(event) => {
        // A list within a step is a list of its own.
        event.stopPropagation();
        event.preventDefault();
        drag.onDrop();
      }}
    >
      <Group
        className={classes.head ?? ''}
        wrap="nowrap"
        gap="xs"
        draggable={!form.isReadOnly}
        onDragStart={(event) => {
          event.stopPropagation();
          event.dataTransfer.effectAllowed = 'move';
          drag.onStart();
        }}
        onDragEnd={drag.onEnd}
      >
        <UnstyledButton
          className={classes.toggle ?? ''}
          aria-expanded={isOpen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={onToggle}
          onKeyDown={onKeyDown}
        >
          <Group gap="xs">
            <Text span size="sm" className={classes.place ?? ''}>
              {index + 1}
            </Text>
            <Text span size="sm" fw={500}>
              {id === '' ? 'without an id' : id}
            </Text>
            <Text span size="sm" c="dimmed">
              {type} {summaryOf(step)}
            </Text>
            {isWrong && (
              <Text span size="xs" c="red">
                wrong
              </Text>
            )}
          </Group>
        </UnstyledButton>
        {!form.isReadOnly && <HeadActions {...props} id={id} />}
      </Group>
      {form.errorAt(pointer) !== undefined && (
        <Text size="sm" c="red" px="sm" pb="xs" role="alert">
          {markedError(form.errorAt(pointer))}
        </Text>
      )}
      <Collapse expanded={isOpen}>{isOpen && <StepMembers {...props} type={type} />}</Collapse>
    </Paper>
  );
}

function HeadActions({ id, place: { index, count }, onMove, onRemove }: Props & { readonly id: string }) {
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Move ${id} up`}
        disabled={index === 0}
        onClick={() => onMove(index - 1)}
      >
        <span style={{ display: 'inline-flex', transform: 'rotate(180deg)' }}>
          <ChevronIcon size={14} />
        </span>
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Move ${id} down`}
        disabled={index === count - 1}
        onClick={() => onMove(index + 1)}
      >
        <ChevronIcon size={14} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Remove ${id}`} onClick={onRemove}>
        <CloseIcon size={12} />
      </ActionIcon>
    </Group>
  );
}

/** The form of a step by the schema of its kind; a step of no known kind is edited as JSON. */
function StepMembers({ form, step, type, pointer, onChange }: Props & { readonly type: string }) {
  const { kinds, isReadOnly, errorAt } = form;
  const kind = kinds.get(type);
  if (kind === undefined)
    return (
      <Stack p="sm" pt={0}>
        <JsonValueInput
          schema={{ description: `There is no type \`${type}\` of steps.` }}
          label="Step"
          value={step}
          pointer={pointer}
          isReadOnly={isReadOnly}
          errorAt={errorAt}
          onChange={(value) => onChange((value ?? {}) as object)}
        />
      </Stack>
    );
  return (
    <Stack gap="sm" p="sm" pt={0}>
      {stepWords[type] !== undefined && (
        <Text size="sm" c="dimmed">
          {stepWords[type]}. Texts may hold templates, such as {'{{ input.title }}'}.
        </Text>
      )}
      <MemberInputs
        schema={kind.schema}
        value={step}
        pointer={pointer}
        isReadOnly={isReadOnly}
        errorAt={errorAt}
        onChange={(value) => onChange(value as object)}
      />
      {kind.within.map((within) => (
        <StepsWithin
          key={within.member}
          form={form}
          within={within}
          step={step}
          pointer={`${pointer}/${within.member}`}
          onChange={onChange}
        />
      ))}
      {kind.hasOnError && <OnErrorInput form={form} step={step} pointer={pointer} onChange={onChange} />}
    </Stack>
  );
}
