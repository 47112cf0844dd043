import { Anchor, Badge, Paper, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import classes from './events.module.css';
import type { EventState, ListedEvent } from './queries.ts';
import { actionOf, conditionOf, occasionOf, stateWords, waitingText } from './words.ts';

interface Props {
  readonly items: readonly ListedEvent[];
  /** By name; undefined while they are read. */
  readonly states: ReadonlyMap<string, EventState> | undefined;
}

export function EventTable({ items, states }: Props) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Events" miw={860}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th>What it does</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th className={classes.number}>Waiting</Table.Th>
            <Table.Th>Last delivery</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((event) => (
            <Table.Tr key={event.name}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/events/${event.name}`} fw={500} size="sm">
                  {event.name}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {occasionOf(event)}
                </Text>
              </Table.Td>
              <Table.Td className={classes.wrap}>
                <Text size="sm">{capital(actionOf(event))}</Text>
                <Condition event={event} />
              </Table.Td>
              <Table.Td>
                <StateBadge isEnabled={event.enabled} state={states?.get(event.name)} />
              </Table.Td>
              <Table.Td className={classes.number}>
                {event.event_stage === 'before' ? '–' : waitingOf(states, event.name)}
              </Table.Td>
              <Table.Td>
                <LastDelivery event={event} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function waitingOf(states: Props['states'], name: string): string {
  return states === undefined ? '…' : waitingText(states.get(name)?.waiting ?? 0);
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Condition({ event }: { readonly event: ListedEvent }) {
  const condition = conditionOf(event);
  if (condition === undefined) return null;
  return (
    <Text size="xs" c="dimmed" className={classes.excerpt} title={condition}>
      if {condition}
    </Text>
  );
}

interface StateProps {
  readonly isEnabled: boolean;
  readonly state: EventState | undefined;
}

function badgeOf(isEnabled: boolean, state: EventState | undefined): readonly [string, string] {
  if (!isEnabled) return ['gray', 'switched off'];
  if (state?.undeliverable !== undefined) return ['red', 'cannot be delivered'];
  return state?.paused === undefined ? ['teal', 'live'] : ['yellow', 'paused'];
}

/** Whether an event is live, with what keeps it from sending. */
export function StateBadge({ isEnabled, state }: StateProps) {
  const [color, text] = badgeOf(isEnabled, state);
  const { failures = 0, open_until: openUntil = null } = state?.circuit ?? {};
  return (
    <>
      <Badge variant="dot" color={color} tt="none" miw="max-content">
        {text}
      </Badge>
      {state?.undeliverable !== undefined && (
        <Text size="xs" c="dimmed">
          never called: {state.undeliverable}
        </Text>
      )}
      {failures > 0 && (
        <Text size="xs" c="dimmed">
          {counted(failures, 'failure')} in a row
          {openUntil !== null && Date.parse(openUntil) > Date.now() && (
            <>
              , tried again <When at={openUntil} />
            </>
          )}
        </Text>
      )}
    </>
  );
}

function LastDelivery({ event: { event_stage, last_delivery: last } }: { readonly event: ListedEvent }) {
  const { org, env } = usePlace();
  if (event_stage === 'before')
    return (
      <Text size="sm" c="dimmed">
        decides within the write
      </Text>
    );
  if (last === undefined)
    return (
      <Text size="sm" c="dimmed">
        none yet
      </Text>
    );
  const { id, state, written_at, attempt } = last;
  return (
    <>
      <Anchor component={Link} to={`/o/${org}/${env}/deliveries/${id}`} size="sm">
        {stateWords[state]}
      </Anchor>
      <Text size="xs" c="dimmed">
        <When at={attempt?.at ?? written_at} />
        {attempt === null || attempt.status === null ? '' : `, status ${attempt.status}`}
      </Text>
    </>
  );
}
