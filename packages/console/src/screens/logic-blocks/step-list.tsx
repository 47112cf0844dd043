import { Button, Fieldset, Group, Menu, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { markedError } from '../../components/refusal/field-error.tsx';
import classes from './logic-blocks.module.css';
import { StepEditor } from './step-editor.tsx';
import type { StepForm, StepListProps } from './step-form.ts';
import { stepWords } from './step-words.ts';
import { moved, newStepId, textMember } from './steps.ts';

/** A list of steps, which are added, moved by the keyboard or the pointer, and taken out. */
export function StepList({ form, label, steps, pointer, onChange }: StepListProps) {
  const { kinds, isReadOnly, all, errorAt } = form;
  const [opened, setOpened] = useState<number | undefined>();
  const [dragged, setDragged] = useState<number | undefined>();
  const [reason, setReason] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const toFocus = useRef<number>(undefined);
  useEffect(() => {
    if (toFocus.current === undefined) return;
    const step = list.current?.children[toFocus.current];
    step?.querySelector<HTMLElement>('[aria-expanded]')?.focus();
    toFocus.current = undefined;
  });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= steps.length || from === to) return;
    onChange(moved(steps, from, to));
    // The step that is open stays open, wherever it is now.
    setOpened(opened === undefined ? undefined : moved([...steps.keys()], from, to).indexOf(opened));
    setReason(`Step ${textMember(steps[from] ?? {}, 'id')} is now ${to + 1} of ${steps.length}.`);
    toFocus.current = to;
  };
  const add = (type: string) => {
    onChange([...steps, { id: newStepId(type, all), ...kinds.get(type)?.initial }]);
    setOpened(steps.length);
    setReason(`A step of the type ${type} is added, ${steps.length + 1} of ${steps.length + 1}.`);
    toFocus.current = steps.length;
  };
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        {errorAt(pointer) !== undefined && (
          <Text size="sm" c="red" role="alert">
            {markedError(errorAt(pointer))}
          </Text>
        )}
        {steps.length === 0 && (
          <Text size="sm" c="dimmed">
            No steps yet. They are done in their order.
          </Text>
        )}
        <ol className={classes.list} ref={list}>
          {steps.map((step, index) => (
            <StepEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place: its id is what is typed
              key={index}
              form={form}
              step={step}
              place={{ index, count: steps.length }}
              pointer={`${pointer}/${index}`}
              isOpen={opened === index}
              onToggle={() => setOpened(opened === index ? undefined : index)}
              onChange={(changed) => onChange(steps.with(index, changed))}
              onMove={(to) => move(index, to)}
              onRemove={() => {
                onChange(steps.toSpliced(index, 1));
                setOpened(undefined);
                setReason(`Step ${textMember(step, 'id')} is removed.`);
              }}
              drag={{
                isOver: dragged !== undefined && dragged !== index,
                onStart: () => setDragged(index),
                onEnd: () => setDragged(undefined),
                onDrop: () => {
                  if (dragged !== undefined) move(dragged, index);
                  setDragged(undefined);
                },
              }}
            />
          ))}
        </ol>
        {!isReadOnly && <AddStep label={label} kinds={kinds} onAdd={add} />}
        <VisuallyHidden role="status">{reason}</VisuallyHidden>
      </Stack>
    </Fieldset>
  );
}

interface AddProps {
  readonly label: string;
  readonly kinds: StepForm['kinds'];
  readonly onAdd: (type: string) => void;
}

function AddStep({ label, kinds, onAdd }: AddProps) {
  return (
    <Group>
      <Menu position="bottom-start" width={340} returnFocus={false}>
        <Menu.Target>
          <Button variant="default" size="compact-sm">
            Add to {label.toLowerCase()}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
          {[...kinds.keys()].map((type) => (
            <Menu.Item key={type} onClick={() => onAdd(type)}>
              <Text span size="sm" fw={500}>
                {type}
              </Text>
              {stepWords[type] !== undefined && (
                <Text span size="sm" c="dimmed">
                  {' '}
                  {stepWords[type]}
                </Text>
              )}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
