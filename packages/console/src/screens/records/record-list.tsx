import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { memo, useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import type { Actor } from '../../api/app.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { lazyPart } from '../../components/lazy.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import type { Entity } from '../entities/queries.ts';
import { SelectionBar } from '../record/bulk/selection-bar.tsx';
import { ListActions } from '../record/list-actions.tsx';
import { editableFields } from '../record/record-queries.ts';
import { Refusal } from './denial.tsx';
import { figuresKey, groupsQuery } from './figures/figure-queries.ts';
import { useTotals } from './figures/totals.tsx';
import { GridHeader } from './grid/grid-header.tsx';
import { RecordGrid } from './grid/record-grid.tsx';
import type { PagesState, RecordPages } from './list/record-pages.ts';
import { useRecordPages } from './list/use-record-pages.ts';
import { ListStatus, Stopped } from './list-status.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { Expression, mistakeOfFilter } from './narrowing/expression.tsx';
import { Conditions } from './narrowing/filters.tsx';
import type { OnList, Row } from './on-list.ts';
import { ReadAs } from './read-as.tsx';
import { useReader } from './reader.ts';
import { type List, useList, useReading } from './use-list.ts';
import { useSelection } from './use-selection.ts';

// With the forms, which the list does without.
const CellEdit = lazyPart(async () => (await import('../record/cell-edit.tsx')).CellEdit, null);
const ListChart = lazyPart(async () => (await import('./figures/list-chart.tsx')).ListChart, <Skeleton height={340} />);
const RecordPanel = lazyPart(async () => (await import('../record/record-panel.tsx')).RecordPanel, null);

// The state of the pages changes while one scrolls, and they do not depend on it.
const Actions = memo(ListActions);
const Toolbar = memo(ListToolbar);
const Narrowing = memo(Conditions);
const Reading = memo(ReadAs);

/** The list of an entity's records as the address describes it. */
export function RecordList({ actor, entity }: { readonly actor: Actor; readonly entity: Entity }) {
  const list = useList(actor, entity);
  const pages = useRecordPages(actor, entity.entityName, useReading(list));
  return pages === undefined ? <LineSkeletons lines={8} /> : <ShownList list={list} pages={pages} />;
}

interface Shown {
  readonly list: List;
  readonly pages: RecordPages;
}

function ShownList({ list, pages }: Shown) {
  const navigate = useNavigate();
  const state = useSyncExternalStore(pages.subscribe, pages.state);
  const { selection, select, clear } = useSelection(list.parameters);
  const reader = useReader(list, pages.rowAt(0)?.id);
  const [isWanted, setIsWanted] = useState(false);
  const isExpressionOpen = isWanted || list.search.filter !== undefined;
  const { r, e, g } = list.search;
  // The chart, which reads all of it, may arrive after the reply.
  const tracked = { enabled: g !== undefined, notifyOnChangeProps: 'all' } as const;
  const groups = useInfiniteQuery({ ...groupsQuery(list, list.search), ...tracked });
  const open = useCallback(
    (id?: string, field?: string) =>
      void navigate({ to: '.', search: (kept) => ({ ...kept, r: id, e: field }), replace: r !== undefined }),
    [navigate, r],
  );
  const onList = useMemo((): OnList => {
    const { actor, entity, parameters } = list;
    const refresh = () => {
      pages.refresh();
      void queryClient.invalidateQueries({ queryKey: figuresKey(list) });
    };
    const ways = { onOpen: (id: string) => open(id), onClose: () => open(), refresh };
    return { actor, entity, parameters, selection, clearSelection: clear, ...ways };
  }, [list, selection, clear, open, pages]);
  const toggleExpression = useCallback(() => setIsWanted((before) => !before), []);
  const error = g === undefined ? state.error : groups.error;
  const tools = { list, hidden: reader.hidden, isExpressionOpen, onRefresh: onList.refresh };
  return (
    <Stack gap="sm">
      {r !== undefined && e === undefined && <RecordPanel list={onList} id={r} />}
      {r !== undefined && e !== undefined && <CellEdit list={onList} id={r} field={e} />}
      <Actions list={onList} />
      <Toolbar {...tools} onExpression={toggleExpression} />
      {isExpressionOpen && <Expression list={list} error={error} onClose={() => setIsWanted(false)} />}
      <Narrowing list={list} />
      <Group justify="space-between" gap="xs">
        {g === undefined ? <ListStatus state={state} selected={selection.size} /> : <span />}
        <Reading workspace={list.actor.workspace} user={list.actor.user} email={reader.email} />
      </Group>
      {g === undefined ? (
        <Records {...{ list, pages, state, onList, hidden: reader.hidden }} onOpen={open} onSelect={select} />
      ) : (
        <ListChart list={list} hidden={reader.hidden} groups={groups} />
      )}
    </Stack>
  );
}

interface RecordsProps extends Shown {
  readonly state: PagesState;
  readonly onList: OnList;
  readonly hidden: ReadonlySet<string>;
  readonly onOpen: (id: string, field?: string) => void;
  readonly onSelect: (rows: readonly Row[], isSelected: boolean) => void;
}

/** The grid with its totals, or the reason why there is none. */
function Records({ list, pages, state, onList, hidden, onOpen, onSelect }: RecordsProps) {
  const { selection } = onList;
  const editable = useMemo(() => editableFields(list.entity), [list.entity]);
  const header = useMemo(() => <GridHeader list={list} hidden={hidden} />, [list, hidden]);
  const totals = useTotals({ list, hidden, hasRecords: state.known > 0 });
  return (
    <>
      {state.error !== undefined && mistakeOfFilter(state.error) === undefined && (
        <Failure list={list} pages={pages} error={state.error} />
      )}
      {state.isComplete && state.known === 0 && <NoRecords list={list} />}
      {!isBare(state) && (
        <RecordGrid
          key={JSON.stringify(list.parameters)}
          label={`Records of ${list.entity.entityName}`}
          pages={pages}
          state={state}
          columns={list.columns}
          hidden={hidden}
          selection={selection}
          openId={list.search.r}
          header={header}
          footer={totals.row}
          onOpen={onList.onOpen}
          editable={editable}
          onEdit={(id, { field }) => editable.has(field) && onOpen(id, field)}
          onSelect={onSelect}
        />
      )}
      {totals.words}
      <Stopped pages={pages} state={state} />
      {selection.size > 0 && <SelectionBar list={onList} />}
    </>
  );
}

/** Whether there is no row to show, and none on its way. */
function isBare({ known, isComplete, isStopped, error }: PagesState): boolean {
  return known === 0 && (isComplete || isStopped || error !== undefined);
}

interface FailureProps extends Shown {
  readonly error: unknown;
}

function Failure({ list, pages, error }: FailureProps) {
  return (
    <Stack gap="xs" align="flex-start">
      <Refusal error={error} />
      {error instanceof ApiProblem && error.code === 'unindexed_sort' ? (
        <Button variant="default" size="xs" onClick={() => list.change({ sort: undefined })}>
          Newest first
        </Button>
      ) : (
        <Button variant="default" size="xs" onClick={() => pages.resume()}>
          Try again
        </Button>
      )}
    </Stack>
  );
}

function NoRecords({ list: { search, entity, actor, change } }: { readonly list: List }) {
  const name = entity.entityName;
  if (search.f !== undefined || search.q !== undefined || search.filter !== undefined)
    return (
      <EmptyState
        title="No record is in this list"
        action={
          <Button variant="default" onClick={() => change({ f: undefined, q: undefined, filter: undefined })}>
            Show all records
          </Button>
        }
      >
        {name} has no record here that meets all conditions of the list.
      </EmptyState>
    );
  return (
    <EmptyState title="No records yet">
      The workspace {actor.workspace} has no records of {name}
      {actor.user === undefined ? '.' : ' that this user may see.'}
    </EmptyState>
  );
}
