import { Button, CloseButton, Combobox, Group, ScrollArea, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Actor } from '../../../api/app.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { definitionOf } from '../../entities/definition.ts';
import { entityQuery } from '../../entities/queries.ts';
import { recordTitle } from '../../records/record-title.ts';
import classes from '../record.module.css';
import { pagesQuery } from '../record-queries.ts';
import { RecordLink } from './record-link.tsx';
import { isSystemEntity, searchFor } from './record-search.ts';

interface Props {
  readonly actor: Actor;
  /** The entity whose records are chosen from. */
  readonly entity: string;
  readonly label: string;
  readonly ids: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly isList: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (ids: readonly string[]) => void;
}

/** The records that a field refers to, by their names, and the choice of others. */
export function LookupInput({ actor, entity, label, ids, names, isList, isReadOnly, onChange }: Props) {
  // What was chosen here; the form knows only the names of what is stored.
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const choose = (id: string, name: string) => {
    setChosen((before) => new Map(before).set(id, name));
    onChange(isList ? [...ids.filter((other) => other !== id), id] : [id]);
  };
  return (
    <div className={classes.lookup}>
      {ids.length === 0 && isReadOnly && (
        <Text size="sm" c="dimmed">
          None
        </Text>
      )}
      {numbered(ids).map(({ id, key, place }) => (
        <Group key={key} gap={4} wrap="nowrap" className={classes.chosen}>
          <RecordLink entity={entity} id={id} name={chosen.get(id) ?? names.get(id) ?? id} />
          {!isReadOnly && (
            <CloseButton
              size="sm"
              aria-label={`Take ${chosen.get(id) ?? names.get(id) ?? id} out of ${label}`}
              onClick={() => onChange(ids.filter((_, other) => other !== place))}
            />
          )}
        </Group>
      ))}
      {!isReadOnly && (
        <Picker
          actor={actor}
          entity={entity}
          label={label}
          verb={isList ? 'Add to' : ids.length === 0 ? 'Choose' : 'Change'}
          onChoose={choose}
        />
      )}
    </div>
  );
}

/** An id may stand in an array twice. */
function numbered(ids: readonly string[]) {
  return ids.map((id, place) => ({ id, place, key: `${id} ${place}` }));
}

interface PickerProps {
  readonly actor: Actor;
  readonly entity: string;
  readonly label: string;
  readonly verb: string;
  readonly onChoose: (id: string, name: string) => void;
}

function Picker({ actor, entity, label, verb, onChoose }: PickerProps) {
  const combobox = useCombobox({
    onDropdownClose: () => combobox.resetSelectedOption(),
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  return (
    <Combobox
      store={combobox}
      width={320}
      position="bottom-start"
      onOptionSubmit={(value) => {
        const [id = '', ...name] = value.split(' ');
        onChoose(id, name.join(' '));
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`${verb} ${label}`}
          aria-haspopup="listbox"
          aria-expanded={combobox.dropdownOpened}
          onClick={() => combobox.toggleDropdown()}
        >
          {verb.split(' ', 1)}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened && <Choices actor={actor} entity={entity} label={label} store={combobox} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}

interface ChoicesProps {
  readonly actor: Actor;
  readonly entity: string;
  readonly label: string;
  readonly store: ReturnType<typeof useCombobox>;
}

function Choices({ actor, entity, label, store }: ChoicesProps) {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed, 200);
  const definition = useQuery({ ...entityQuery(actor.env, entity), enabled: !isSystemEntity(entity) });
  const known = definition.data === undefined ? undefined : definitionOf(definition.data.create);
  const pages = useInfiniteQuery({
    ...pagesQuery(actor, entity, searchFor(entity, known, words)),
    placeholderData: keepPreviousData,
  });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Combobox.Search
        aria-label={`Find a ${entity}`}
        placeholder={`Find a ${entity}…`}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          store.resetSelectedOption();
        }}
      />
      <Combobox.Options aria-label={label}>
        <ScrollArea.Autosize mah={260} type="auto">
          {items.map((record) => (
            <Combobox.Option key={String(record.id)} value={`${String(record.id)} ${recordTitle(record)}`}>
              {recordTitle(record)}
            </Combobox.Option>
          ))}
          {items.length === 0 && !pages.isError && (
            <Combobox.Empty>{pages.isPending ? 'Looking…' : `No ${entity} found`}</Combobox.Empty>
          )}
        </ScrollArea.Autosize>
      </Combobox.Options>
      <ProblemAlert error={pages.error} />
      {pages.hasNextPage && (
        <Combobox.Footer>
          <Button
            variant="subtle"
            size="xs"
            fullWidth
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show more
          </Button>
        </Combobox.Footer>
      )}
    </>
  );
}
