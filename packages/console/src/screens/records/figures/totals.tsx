import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Sentence } from '../../../components/sentence.tsx';
import { counted } from '../../../components/words/counted.ts';
import { Refusal } from '../denial.tsx';
import type { List } from '../use-list.ts';
import { type Totals, totalsQuery } from './figure-queries.ts';
import { chosenTotals, type Figure, firstTotals, totalsText } from './measures.ts';
import { reachWords } from './part-words.ts';
import { TotalsRow } from './totals-row.tsx';

interface Options {
  readonly list: List;
  readonly hidden: ReadonlySet<string>;
  /** Whether records are shown: without them there is nothing to ask for. */
  readonly hasRecords: boolean;
}

/** The totals of a list, where the address asks for them: the row below its records, and what is said of it. */
export function useTotals({ list, hidden, hasRecords }: Options) {
  const { search, columns, change } = list;
  const isOn = search.t !== undefined;
  const chosen = useMemo(() => {
    const readable = columns.filter(({ name }) => !hidden.has(name));
    return chosenTotals(search.t, readable);
  }, [search.t, columns, hidden]);
  const query = useQuery({ ...totalsQuery(list, chosen), enabled: isOn && hasRecords });
  const totals = query.data;
  const row = useMemo(() => {
    const choose = (field: string, figure: Figure | undefined) => {
      const changed = new Map(chosen);
      if (figure === undefined) changed.delete(field);
      else changed.set(field, figure);
      change({ t: totalsText(changed) });
    };
    return <TotalsRow {...{ columns, hidden, chosen, totals }} onChoose={choose} />;
  }, [columns, hidden, chosen, totals, change]);
  if (!isOn || !hasRecords) return { row: undefined, words: undefined };
  const isRefused = query.error !== null;
  return {
    row,
    words: isRefused ? <Refused error={query.error} onAgain={query.refetch} /> : <TotalsWords totals={totals} />,
  };
}

/** Of how many records the totals are, and whether these are all of the list. */
function TotalsWords({ totals }: { readonly totals: Totals | undefined }) {
  if (totals === undefined)
    return (
      <Text size="sm" c="dimmed" role="status">
        Adding up…
      </Text>
    );
  const { values, partial_reason, notes = [] } = totals;
  const records = counted(Number(values.count ?? 0), 'record');
  return (
    <div role="status">
      {partial_reason === undefined ? (
        <Text size="sm" c="dimmed">
          Totals of {records}
        </Text>
      ) : (
        <Text size="sm">
          <b>Not totals of the whole list:</b> {reachWords[partial_reason]}, of which {records} of this list were added
          up.
        </Text>
      )}
      {notes.map((note) => (
        <Text key={note} size="sm">
          <Sentence text={note} />
        </Text>
      ))}
    </div>
  );
}

function Refused({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => unknown }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">The totals could not be worked out.</Text>
      <Refusal error={error} />
      <Button variant="default" size="xs" onClick={() => void onAgain()}>
        Try again
      </Button>
    </Stack>
  );
}

interface ToggleProps {
  readonly list: List;
  readonly hidden: ReadonlySet<string>;
}

/** Shows the totals below the list, or takes them away. */
export function TotalsToggle({ list: { search, columns, change }, hidden }: ToggleProps) {
  const isOn = search.t !== undefined;
  return (
    <Button
      variant="default"
      size="xs"
      aria-pressed={isOn}
      onClick={() => change({ t: isOn ? undefined : totalsText(firstTotals(columns, hidden)) })}
    >
      Totals
    </Button>
  );
}
