import { Button, Group, Text } from '@mantine/core';
import { counted } from '../../components/words/counted.ts';
import { endWords } from './figures/part-words.ts';
import classes from './grid.module.css';
import { type PagesState, type RecordPages, recordsMax } from './list/record-pages.ts';
import { selectionMax } from './use-selection.ts';

const figures = new Intl.NumberFormat('en');

interface Props {
  readonly state: PagesState;
  readonly selected: number;
}

/** The number of records, how many of them have been read, and by which index. */
export function ListStatus({ state, selected }: Props) {
  const { known, total, isComplete, isLoading, index, error } = state;
  if (error !== undefined && known === 0) return <span />;
  if (known === 0 && isLoading)
    return (
      <Text size="sm" c="dimmed" role="status">
        Reading…
      </Text>
    );
  const parts = [
    totalText(state),
    ...(isComplete || total === known ? [] : [`${figures.format(known)} read`]),
    ...(index === undefined || known === 0 ? [] : [index === null ? 'no index used' : `index ${index.name}`]),
    ...(selected === 0 ? [] : [`${figures.format(selected)} selected`]),
    ...(selected < selectionMax ? [] : ['no more can be selected']),
  ];
  return (
    <Text size="sm" c="dimmed" role="status">
      {parts.join(' · ')}
    </Text>
  );
}

function totalText({ total, known, isComplete }: PagesState): string {
  if (isComplete) return counted(known, 'record');
  if (typeof total === 'number') return counted(total, 'record');
  return total === undefined
    ? `${counted(known, 'record')} read so far`
    : `at least ${counted(total.atLeast, 'record')}`;
}

/** Where the reading stopped at the scan budget: what that means, and a button to go on. */
export function Stopped({ pages, state }: { readonly pages: RecordPages; readonly state: PagesState }) {
  const { readInVain, known, isStopped, stoppedBy, isComplete } = state;
  if (known >= recordsMax && !isComplete)
    return (
      <Text size="sm" role="note">
        A list shows {counted(recordsMax, 'record')}. Narrow it by a filter to see the others.
      </Text>
    );
  if (!isStopped) return null;
  return (
    <Group className={classes.end} role="note">
      <Text size="sm">
        {readInVain > 0
          ? `${counted(readInVain, 'more record was looked at, and is not', 'more records were looked at, and none of them is')} in this list.`
          : `The list stopped after ${counted(known, 'record')}.`}{' '}
        {stoppedBy !== undefined && `${endWords[stoppedBy]} `}There may be more.
      </Text>
      <Button size="xs" variant="default" loading={state.isLoading} onClick={() => pages.resume()}>
        Go on
      </Button>
    </Group>
  );
}
