import { Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../../api/problem.ts';
import { queryClient } from '../../../api/query-client.ts';
import { lazyPart } from '../../../components/lazy.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { entityQuery } from '../../entities/queries.ts';
import classes from '../grid.module.css';
import type { List } from '../use-list.ts';
import { fieldsIn, optionsAt } from './filter-completion.ts';

const FilterEditor = lazyPart(async () => (await import('./filter-editor.tsx')).FilterEditor, <Skeleton height={30} />);

interface Props {
  readonly list: List;
  readonly error: unknown;
  readonly onClose: () => void;
}

/** The faults of the filter expression, if that is why a list was refused. */
export function mistakeOfFilter(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errorAt('/filter') ?? error.errorAt('/$filter');
}

/** The condition in CEL, where the conditions on fields do not say enough. */
export function Expression({ list: { actor, entity, search, change }, error, onClose }: Props) {
  const { filter = '' } = search;
  const [edited, setEdited] = useState({ of: filter, text: filter });
  // The address may be another one by now, as by a saved view.
  const text = edited.of === filter ? edited.text : filter;
  const mistake = text === filter ? mistakeOfFilter(error) : undefined;
  const fieldsOf = (name: string) =>
    queryClient.fetchQuery({ ...entityQuery(actor.env, name), staleTime: 60_000 }).then(
      ({ create }) => fieldsIn(create),
      () => [],
    );
  return (
    <div>
      <div className={classes.expression}>
        <FilterEditor
          text={text}
          mistake={mistake}
          optionsAt={(before) => optionsAt(before, fieldsIn(entity.create), fieldsOf)}
          onChange={(typed) => setEdited({ of: filter, text: typed })}
          onApply={() => change({ filter: text.trim() === '' ? undefined : text.trim() })}
        />
        <Button size="xs" onClick={() => change({ filter: text.trim() === '' ? undefined : text.trim() })}>
          Apply
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onClose();
            if (search.filter !== undefined) change({ filter: undefined });
          }}
        >
          Remove
        </Button>
      </div>
      {mistake !== undefined && (
        <Text size="sm" c="red" role="alert" mt={4}>
          <Sentence text={mistake} />
        </Text>
      )}
    </div>
  );
}
