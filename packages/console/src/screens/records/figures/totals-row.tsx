import { Menu, UnstyledButton } from '@mantine/core';
import { LockIcon } from '../../../components/icons.tsx';
import classes from '../grid.module.css';
import type { Column } from '../list/columns.ts';
import type { Totals } from './figure-queries.ts';
import { type Figure, figures, figureText, figureWords, isNumeric, memberOf, totalsMax } from './measures.ts';

interface Props {
  readonly columns: readonly Column[];
  /** Names of columns that a policy hides. */
  readonly hidden: ReadonlySet<string>;
  readonly chosen: ReadonlyMap<string, Figure>;
  /** Undefined until they are there. */
  readonly totals: Totals | undefined;
  readonly onChoose: (field: string, figure: Figure | undefined) => void;
}

/** The last row of a grid: below each column of numbers the figure of all records of the list that was chosen for it. */
export function TotalsRow({ columns, hidden, chosen, totals, onChoose }: Props) {
  return (
    <tr className={classes.totals}>
      <th scope="row" aria-colindex={1} aria-label="Totals" className={classes.check}>
        Σ
      </th>
      {columns.map((column, at) => (
        <td key={column.name} aria-colindex={at + 2} className={classes.totalCell}>
          {isNumeric(column) &&
            (hidden.has(column.name) || totals?.unreadable.has(column.field) === true ? (
              <Unreadable column={column} />
            ) : (
              <Total
                column={column}
                figure={chosen.get(column.field)}
                isFull={chosen.size >= totalsMax}
                totals={totals}
                onChoose={(figure) => onChoose(column.field, figure)}
              />
            ))}
        </td>
      ))}
    </tr>
  );
}

function Unreadable({ column: { name } }: { readonly column: Column }) {
  return (
    <span className={classes.noTotal} title="This user may not read it in every record">
      <LockIcon size={12} /> not read
      <span className={classes.unseen}>: {name} may not be read in every record</span>
    </span>
  );
}

interface TotalProps {
  readonly column: Column;
  readonly figure: Figure | undefined;
  /** Whether no further column can have a total. */
  readonly isFull: boolean;
  readonly totals: Totals | undefined;
  readonly onChoose: (figure: Figure | undefined) => void;
}

function Total({ column: { name, field }, figure, isFull, totals, onChoose }: TotalProps) {
  const isPart = totals?.partial_reason !== undefined;
  const word = figure === undefined ? 'No total' : `${figureWords[figure]}${isPart ? ' so far' : ''}`;
  const value = figure === undefined ? undefined : totals?.values[memberOf(`${figure}:${field}`)];
  const text = figure === undefined ? '' : totals === undefined ? '…' : figureText(value);
  return (
    <Menu position="top-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton
          className={classes.total}
          data-part={(figure !== undefined && isPart) || undefined}
          title={value === undefined || value === null ? undefined : String(value)}
        >
          <span className={classes.totalWord}>
            {word}
            <span className={classes.unseen}>
              {' '}
              of {name}
              {text !== '' && ': '}
            </span>
          </span>
          <span className={classes.totalValue}>{text}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {figures.map((one) => (
          <Menu.Item
            key={one}
            disabled={figure === undefined && isFull}
            rightSection={one === figure ? '✓' : undefined}
            onClick={() => onChoose(one)}
          >
            {figureWords[one]}
          </Menu.Item>
        ))}
        <Menu.Item rightSection={figure === undefined ? '✓' : undefined} onClick={() => onChoose(undefined)}>
          None
        </Menu.Item>
        {figure === undefined && isFull && <Menu.Item disabled>{totalsMax} columns have totals, no more can</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
