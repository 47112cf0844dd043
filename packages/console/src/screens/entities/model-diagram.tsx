import { Anchor, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import classes from './model-diagram.module.css';
import { type Box, boxWidth, layoutOf, type Modelled } from './model-layout.ts';

/** Which entities look up which. A box leads to its entity. */
export function ModelDiagram({ entities }: { readonly entities: readonly Modelled[] }) {
  const { org, env } = usePlace();
  const model = useMemo(() => layoutOf(entities), [entities]);
  const defined = useMemo(() => new Set(entities.map(({ name }) => name)), [entities]);
  if (model.boxes.length === 0)
    return (
      <EmptyState title="No entity looks up another">
        A field with a lookup holds the id of another record, such as the customer of an order.
      </EmptyState>
    );
  return (
    <Stack>
      {/* What scrolls must be reached by the keyboard. */}
      <Paper withBorder p="md" className={classes.scroll} tabIndex={0} role="region" aria-label="Diagram of lookups">
        <div className={classes.place} style={{ width: model.width, height: model.height }}>
          <svg width={model.width} height={model.height} className={classes.lines} aria-hidden="true">
            {model.lines.map(({ id, path }) => (
              <path key={id} d={path} />
            ))}
          </svg>
          {model.boxes.map((box) => (
            <EntityBox
              key={box.name}
              box={box}
              to={defined.has(box.name) ? `/o/${org}/${env}/entities/${box.name}` : undefined}
            />
          ))}
        </div>
      </Paper>
      {model.alone.length > 0 && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            Without lookups:
          </Text>
          {model.alone.map((name) => (
            <Anchor key={name} component={Link} to={`/o/${org}/${env}/entities/${name}`} size="sm">
              {name}
            </Anchor>
          ))}
        </Group>
      )}
    </Stack>
  );
}

/** @param to undefined of the platform's own entities, which have no definition */
function EntityBox({ box, to }: { readonly box: Box; readonly to: string | undefined }) {
  return (
    <Paper
      withBorder
      className={classes.box}
      style={{ left: box.x, top: box.y, width: boxWidth, height: box.height }}
      component="section"
      aria-label={box.name}
    >
      {to === undefined ? (
        <Text fw={500} c="dimmed">
          {box.name}
        </Text>
      ) : (
        <Anchor component={Link} to={to} fw={500}>
          {box.name}
        </Anchor>
      )}
      {box.lookups.map(({ field, entity }) => (
        <Text key={field} className={classes.field} title={`${field} looks up ${entity}`}>
          {field}
        </Text>
      ))}
    </Paper>
  );
}
