import { Badge, Button, Collapse, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import { ChangeList } from './change-list.tsx';
import classes from './deploy.module.css';
import { ProductionWork } from './production-work.tsx';
import { type Release, releasesQuery } from './queries.ts';
import { RollbackDialog } from './rollback-dialog.tsx';

/** What production was, the latest first, and the way back and forward. */
export function ReleasesTab() {
  const { adminReason } = usePlace();
  const releases = useInfiniteQuery(releasesQuery);
  const [target, setTarget] = useState<Target>();
  if (releases.data === undefined)
    return releases.isError ? <ProblemAlert error={releases.error} /> : <LineSkeletons lines={6} />;
  const items = releases.data.pages.flatMap((page) => page.items);
  const [latest] = items;
  if (latest === undefined)
    return (
      <EmptyState title="No release yet">
        An activation makes a release: what is staged becomes live, and you can go back to it later.
      </EmptyState>
    );
  const live = latest.restored ?? latest.version;
  const isFirst = items.some(({ version, previous }) => version === live && previous === undefined);
  const firstReason = isFirst ? 'The first release is live. There is nothing to go back to.' : undefined;
  return (
    <Stack>
      <ProductionWork />
      <Group justify="space-between">
        <Text size="sm">
          The configuration of <strong>release {live}</strong> is live.
        </Text>
        <ReasonedButton
          reason={adminReason ?? firstReason}
          variant="default"
          onClick={() => setTarget({ live, version: undefined })}
        >
          Roll back one step
        </ReasonedButton>
      </Group>
      {items.map((release) => (
        <ReleaseRow
          key={release.version}
          release={release}
          latest={latest}
          onRestore={() => setTarget({ live, version: release.version })}
        />
      ))}
      {releases.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={releases.isFetchingNextPage}
          onClick={() => void releases.fetchNextPage()}
        >
          Earlier releases
        </Button>
      )}
      <ProblemAlert error={releases.error} />
      {target !== undefined && <RollbackDialog {...target} close={() => setTarget(undefined)} />}
    </Stack>
  );
}

interface Target {
  /** The activation whose configuration is live. */
  readonly live: number;
  /** The target; undefined for one step back. */
  readonly version: number | undefined;
}

interface RowProps {
  readonly release: Release;
  /** The one in force: what is activated or restored last. */
  readonly latest: Release;
  readonly onRestore: () => void;
}

function ReleaseRow({ release, latest, onRestore }: RowProps) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const { version, action, at, note, live, restored, items, diff } = release;
  const isInForce = version === latest.version;
  const changes = new Map(items.map(({ kind, name, change }) => [`${kind} ${name}`, change]));
  return (
    <Paper
      withBorder
      p="sm"
      className={classes.release}
      component="section"
      aria-label={`Release ${version}`}
      mod={{ live: isInForce }}
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Group gap="xs">
            <Text fw={600}>Release {version}</Text>
            {isInForce && (
              <Badge color="teal" variant="dot" tt="none">
                live
              </Badge>
            )}
            {version === latest.restored && (
              <Badge color="gray" variant="dot" tt="none">
                restored by release {latest.version}
              </Badge>
            )}
            {restored !== undefined && <Text size="sm">a rollback to release {restored}</Text>}
            {note !== undefined && <Text size="sm">{note}</Text>}
          </Group>
          <Text size="sm" c="dimmed" component="div">
            {counted(items.length, 'item')}, <When at={at} />, by <Actor actor={release.actor} />
          </Text>
        </div>
        <Group gap="xs">
          <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            What it changed
          </Button>
          {!live && action === 'activate' && (
            <ReasonedButton reason={adminReason} variant="default" size="compact-sm" onClick={onRestore}>
              Make live again
            </ReasonedButton>
          )}
        </Group>
      </Group>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack mt="sm">
            {diff.length === 0 && <Text size="sm">Nothing differs from the release before.</Text>}
            <ChangeList
              items={diff.map((one) => ({ ...one, change: changes.get(`${one.kind} ${one.name}`) ?? 'modified' }))}
            />
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}

function Actor({ actor: { kind, id } }: Pick<Release, 'actor'>) {
  const { data: me } = useQuery(meQuery);
  if (id === me?.user.id) return 'you';
  return (
    <>
      {kind === 'deploy_key' ? 'a deploy key' : 'a builder'} <CopyId value={id} what="id" />
    </>
  );
}
