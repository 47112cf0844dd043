import { Button, Group, Pagination, Select, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CellState, cellStates, stateNames } from '../../components/decision/cell-state.ts';
import { Legend } from '../../components/decision/state-mark.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { entityWords, foundText } from '../../components/search/found-text.ts';
import { blockRows, type Cells, stateOf, tableOf, verbs } from './cells.ts';
import { MatrixGrid } from './matrix-grid.tsx';
import type { MatrixRow } from './queries.ts';
import { saveCsv } from './save-csv.ts';
import classes from './who-can.module.css';

const rowsPerPage = 50;

const states = cellStates.map((state) => ({ value: state, label: stateNames[state] }));

/** The permissions of a user: entities by verbs, and logic blocks, narrowed by name and by what the cells say. */
export function MemberAccess({ row, fileName }: { readonly row: MatrixRow; readonly fileName: string }) {
  const { q = '', state, page = 1, cell } = useSearch({ from: '/o/$org/$env/users/$user' });
  const navigate = useNavigate();
  const show = (change: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...change }) as never, replace });
  const found = narrowed(Object.entries(row.entities), q, state);
  const allBlocks = blockRows(row);
  const blocks = narrowed(allBlocks, q, state);
  const pages = Math.ceil(found.length / rowsPerPage);
  const current = Math.min(page, Math.max(1, pages));
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm" style={{ flex: '1 1 auto' }}>
          <TextInput
            aria-label="Search entities and logic blocks"
            placeholder="Search by name"
            leftSection={<SearchIcon />}
            value={q}
            onChange={({ currentTarget: { value } }) =>
              show({ q: value === '' ? undefined : value, page: undefined }, true)
            }
            className={classes.search ?? ''}
          />
          <Select
            aria-label="What the cells say"
            placeholder="All access"
            data={states}
            value={state ?? null}
            clearable
            onChange={(chosen) => show({ state: chosen ?? undefined, page: undefined }, true)}
            className={classes.filter ?? ''}
          />
        </Group>
        <Button variant="default" onClick={() => saveCsv(fileName, tableOf([row]))}>
          Export as CSV
        </Button>
      </Group>
      <Group justify="space-between">
        <Legend />
        <Text size="sm" c="dimmed" role="status">
          {foundText(found.length, Object.keys(row.entities).length, entityWords)}
          {allBlocks.length > 0 && `, ${foundText(blocks.length, allBlocks.length, ['logic block', 'logic blocks'])}`}
        </Text>
      </Group>
      {found.length + blocks.length === 0 && (
        <EmptyState title="Nothing is left">Search for another name, or show all access.</EmptyState>
      )}
      {found.length > 0 && (
        <MatrixGrid
          label="What the user may do"
          what="Entity"
          verbs={verbs}
          rows={found.slice((current - 1) * rowsPerPage, current * rowsPerPage)}
          chosen={cell}
          onChoose={(entity, verb) => show({ cell: verb + entity })}
        />
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={current}
          onChange={(chosen) => show({ page: chosen === 1 ? undefined : chosen })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
      {blocks.length > 0 && (
        <MatrixGrid
          label="Which logic blocks the user may run"
          what="Logic block"
          verbs={['run']}
          rows={blocks}
          chosen={cell}
          onChoose={(block, verb) => show({ cell: verb + block })}
        />
      )}
    </Stack>
  );
}

function narrowed(rows: readonly (readonly [string, Cells])[], q: string, state: CellState | undefined) {
  const wanted = q.trim().toLowerCase();
  return rows.filter(
    ([name, cells]) =>
      name.toLowerCase().includes(wanted) &&
      (state === undefined || Object.values(cells).some((cell) => stateOf(cell) === state)),
  );
}
