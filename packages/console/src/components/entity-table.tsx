import { Paper, Table } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useDeferredValue, useMemo, useRef } from 'react';
import { usePlace } from '../api/session.ts';
import classes from './entity-table.module.css';

export interface EntityColumn<Item> {
  readonly name: string;
  readonly isNumber?: true;
  readonly show: (item: Item) => ReactNode;
}

interface Props<Item> {
  readonly entities: readonly Item[];
  /** Where their names lead to. */
  readonly to: '/o/$org/$env/entities/$entity' | '/o/$org/$env/records/$entity';
  /** That of the names. */
  readonly title: string;
  /** The same object each time. */
  readonly columns: readonly EntityColumn<Item>[];
}

interface Named {
  readonly name: string;
}

/** More than a screen shows. The others follow when the page is at rest. */
const rowsAtFirst = 40;

/**
 * The entities of an org, of which there may be hundreds: as rows of plain elements, since each component of the library and
 * each link of the router costs as much as a whole row does here.
 */
export function EntityTable<Item extends Named>({ entities, to, title, columns }: Props<Item>) {
  const shown = useDeferredValue(entities, entities.slice(0, rowsAtFirst));
  const { hrefOf, onClick, preload } = useNamedLinks(to);
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Entities">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{title}</Table.Th>
            {columns.map(({ name, isNumber }) => (
              <Table.Th key={name} className={isNumber && classes.number}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody onClick={onClick} onPointerOver={preload} onFocus={preload}>
          {shown.map((entity) => (
            <EntityRow key={entity.name} entity={entity} href={hrefOf(entity.name)} columns={columns} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

interface RowProps<Item> extends Pick<Props<Item>, 'columns'> {
  readonly entity: Item;
  readonly href: string;
}

function EntityRow<Item extends Named>({ entity, href, columns }: RowProps<Item>) {
  return (
    <tr className={Table.classes.tr} data-hover data-with-row-border>
      <td className={Table.classes.td}>
        <a href={href} data-name={entity.name} className={classes.name}>
          {entity.name}
        </a>
      </td>
      {columns.map(({ name, isNumber, show }) => (
        <td key={name} className={`${Table.classes.td} ${isNumber ? classes.number : ''}`}>
          {show(entity)}
        </td>
      ))}
    </tr>
  );
}

/** Links that the router follows, of one list: each has the name of its entity as `data-name`. */
function useNamedLinks(to: Props<Named>['to']) {
  const router = useRouter();
  const { org, env, workspace } = usePlace();
  const isPreloaded = useRef(false);
  const paramsOf = (entity: string) => ({ org, env, entity });
  // Names of entities have no sign that an address writes in another way.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search parameters of the place stay, of which the workspace is one.
  const template = useMemo(
    () => router.history.createHref(router.buildLocation({ to, params: { org, env, entity: placeholder } }).publicHref),
    [router, to, org, env, workspace],
  );
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-name]') : null;
    const isOther = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey || event.button !== 0;
    if (link === null || isOther || event.defaultPrevented) return;
    event.preventDefault();
    void router.navigate({ to, params: paramsOf(link.dataset.name ?? '') });
  };
  // The files of the screen, which is the same for all of them.
  const preload = () => {
    if (!isPreloaded.current) void router.preloadRoute({ to, params: paramsOf(placeholder) });
    isPreloaded.current = true;
  };
  return { hrefOf: (entity: string) => template.replace(placeholder, entity), onClick, preload };
}

const placeholder = 'name-of-the-entity';
