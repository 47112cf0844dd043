import { Alert, Group, Skeleton, Tabs } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { type Item, itemQuery } from '../config/queries.ts';
import { DeliveryList } from './delivery-list.tsx';
import type { EventContent } from './event-content.ts';
import { DefinitionTab } from './event-definition.tsx';
import { StateBadge } from './event-table.tsx';
import classes from './events.module.css';
import { PausedNotice, PauseEvent, SendNow } from './pause-event.tsx';
import { eventStatesQuery, statesOf } from './queries.ts';
import { SecretTab } from './secret-tab.tsx';
import { TestTab } from './test-tab.tsx';
import { occasionOf } from './words.ts';

/** One event: its definition, what it has sent, a try with a sample, and the secret that signs what it sends. */
export function EventScreen() {
  const { env } = usePlace();
  const { event: name } = useParams({ from: '/o/$org/$env/events/$event' });
  const item = useQuery(itemQuery({ env, kind: 'event', name }));
  const states = useInfiniteQuery(eventStatesQuery(env));
  const content = item.data?.content as EventContent | undefined;
  const state = statesOf(states.data?.pages).get(name);
  const isAfter = content?.event_stage === 'after';
  const isGone = item.error instanceof ApiProblem && item.error.code === 'not_found';
  return (
    <Screen
      title={name}
      intro={content && <Sentence text={occasionOf(content)} />}
      actions={
        isAfter && (
          <Group gap="xs">
            {state !== undefined && state.paused === undefined && state.waiting > 0 && <SendNow name={name} />}
            <PauseEvent name={name} isPaused={state?.paused !== undefined} />
          </Group>
        )
      }
    >
      {isGone ? (
        <EmptyState title="There is no such event here">
          It is not live in this environment. Its deliveries are still listed among those of all events.
        </EmptyState>
      ) : (
        <Loaded query={item} skeleton={<Skeleton height={420} />}>
          {(data) => (
            <>
              {content !== undefined && <StateBadge isEnabled={content.enabled} state={state} />}
              {state?.paused !== undefined && <PausedNotice name={name} paused={state.paused} />}
              {data.warnings.map((warning) => (
                <Alert key={warning} color="yellow" classNames={{ title: classes.alertTitle ?? '' }}>
                  <Sentence text={warning} />
                </Alert>
              ))}
              <EventTabs key={`${env} ${name}`} name={name} item={data} waiting={state?.waiting} />
            </>
          )}
        </Loaded>
      )}
    </Screen>
  );
}

interface TabsProps {
  readonly name: string;
  readonly item: Item;
  readonly waiting: number | undefined;
}

function EventTabs({ name, item, waiting }: TabsProps) {
  const { tab: requestedTab } = useSearch({ from: '/o/$org/$env/events/$event' });
  const navigate = useNavigate();
  const content = item.content as EventContent;
  const isAfter = content.event_stage === 'after';
  const isSigned = isAfter && content.event_type === 'webhook';
  const tabs = ['definition', ...(isAfter ? ['deliveries', 'test'] : []), ...(isSigned ? ['secret'] : [])];
  const tab = tabs.find((one) => one === requestedTab) ?? 'definition';
  return (
    <Tabs
      value={tab}
      keepMounted={false}
      onChange={(next) =>
        void navigate({ to: '.', search: (next === null || next === 'definition' ? {} : { tab: next }) as never })
      }
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="definition">Definition</Tabs.Tab>
        {isAfter && <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>}
        {isAfter && <Tabs.Tab value="test">Test</Tabs.Tab>}
        {isSigned && <Tabs.Tab value="secret">Signing secret</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="definition">
        <DefinitionTab name={name} content={content} version={item.version} waiting={isAfter ? waiting : undefined} />
      </Tabs.Panel>
      {isAfter && (
        <>
          <Tabs.Panel value="deliveries">
            <DeliveryList event={name} />
          </Tabs.Panel>
          <Tabs.Panel value="test">
            <TestTab name={name} content={content} />
          </Tabs.Panel>
          <Tabs.Panel value="secret">
            <SecretTab name={name} />
          </Tabs.Panel>
        </>
      )}
    </Tabs>
  );
}
