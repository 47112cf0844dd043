import { Group, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { type DeliverySearch, deliveryStates, fromLocalTime, localTime } from './delivery-search.ts';
import { eventsQuery } from './queries.ts';
import { stateWords } from './words.ts';

interface Props {
  readonly filter: DeliverySearch;
  readonly isOfOneEvent: boolean;
}

export function DeliveryFilters({ filter, isOfOneEvent }: Props) {
  const navigate = useNavigate();
  const show = (change: DeliverySearch) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...change }) as never, replace: true });
  return (
    <Group align="flex-end" gap="sm">
      {!isOfOneEvent && <EventChoice event={filter.event} onChange={(event) => show({ event })} />}
      <Select
        label="State"
        data={deliveryStates.map((value) => ({ value, label: stateWords[value] }))}
        value={filter.state ?? null}
        placeholder="All"
        clearable
        clearButtonProps={{ 'aria-label': 'All states' }}
        w={200}
        onChange={(value) => show({ state: deliveryStates.find((one) => one === value) })}
      />
      <TimeInput label="Written from" at={filter.since} onChange={(since) => show({ since })} />
      <TimeInput label="Written before" at={filter.until} onChange={(until) => show({ until })} />
    </Group>
  );
}

interface EventChoiceProps {
  readonly event: string | undefined;
  readonly onChange: (event: string | undefined) => void;
}

/** The live events, and what the address names, which may be live no more. */
function EventChoice({ event, onChange }: EventChoiceProps) {
  const { env } = usePlace();
  const events = useInfiniteQuery(eventsQuery(env));
  const names = new Set(events.data?.pages.flatMap(({ items }) => items.map(({ name }) => name)) ?? []);
  return (
    <Select
      label="Event"
      data={[...new Set(event === undefined ? names : [event, ...names])]}
      value={event ?? null}
      placeholder="All"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All events' }}
      nothingFoundMessage="No live event has this name"
      w={200}
      onChange={(value) => onChange(value ?? undefined)}
    />
  );
}

interface TimeInputProps {
  readonly label: string;
  readonly at: string | undefined;
  readonly onChange: (at: string | undefined) => void;
}

/** A time in the time zone of the browser. */
function TimeInput({ label, at, onChange }: TimeInputProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={localTime(at)}
      onChange={({ currentTarget: { value } }) => onChange(fromLocalTime(value))}
    />
  );
}
