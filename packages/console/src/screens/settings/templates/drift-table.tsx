import { Anchor, Badge, Checkbox, Paper, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { When } from '../../../components/when.tsx';
import type { Drift } from './queries.ts';
import classes from './templates.module.css';

interface Props {
  readonly items: readonly Drift[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

const made = { current: 'The present template', earlier: 'An earlier template', unknown: 'Not known' } as const;

export function DriftTable({ items, chosen, onChoose }: Props) {
  const differing = items.filter(differs).map(({ code }) => code);
  const areAll = differing.length > 0 && differing.every((code) => chosen.has(code));
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Workspaces" miw={760}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Checkbox
                aria-label="Choose the listed workspaces that differ"
                checked={areAll}
                indeterminate={!areAll && differing.some((code) => chosen.has(code))}
                disabled={differing.length === 0}
                onChange={() => onChoose(new Set(areAll ? [] : differing))}
              />
            </Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>Made with</Table.Th>
            <Table.Th className={classes.number}>Missing</Table.Th>
            <Table.Th className={classes.number}>Changed</Table.Th>
            <Table.Th className={classes.number}>Local</Table.Th>
            <Table.Th className={classes.number}>Extra</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((drift) => (
            <DriftRow key={drift.code} drift={drift} chosen={chosen} onChoose={onChoose} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function DriftRow({ drift, chosen, onChoose }: Pick<Props, 'chosen' | 'onChoose'> & { readonly drift: Drift }) {
  const { org, env } = usePlace();
  const { code, name, made_with, applied_at, missing, changed, local, extra } = drift;
  const choose = () => {
    const next = new Set(chosen);
    if (!next.delete(code)) next.add(code);
    onChoose(next);
  };
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          aria-label={`Choose ${code}`}
          checked={chosen.has(code)}
          disabled={!differs(drift)}
          onChange={choose}
        />
      </Table.Td>
      <Table.Td>
        <Anchor component={Link} to={`/o/${org}/${env}/settings/templates/workspaces/${code}`} fw={500}>
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {code}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="dot" color={made_with === 'current' ? 'teal' : 'gray'} tt="none">
          {made[made_with]}
        </Badge>
        {applied_at !== null && (
          <Text size="xs" c="dimmed">
            applied <When at={applied_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td className={classes.number}>{missing}</Table.Td>
      <Table.Td className={classes.number}>{changed}</Table.Td>
      <Table.Td className={classes.number}>{local}</Table.Td>
      <Table.Td className={classes.number}>{extra === 1000 ? '1,000 or more' : extra}</Table.Td>
    </Table.Tr>
  );
}

function differs({ missing, changed }: Drift): boolean {
  return missing + changed > 0;
}
