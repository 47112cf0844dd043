import { Grid, Skeleton, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Differences } from './differences.tsx';
import { PublishBar } from './publish-bar.tsx';
import { diffQuery, stagedQuery } from './queries.ts';
import { Staged } from './staged.tsx';

interface Props {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** What differs, and beside it what waits to become live. */
export function ChangesTab({ chosen, onChoose }: Props) {
  const diff = useQuery(diffQuery);
  const staged = useQuery(stagedQuery);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <section aria-labelledby="differences">
          <Title order={2} id="differences" mb="sm">
            Differs between test and production
          </Title>
          <Loaded query={diff} skeleton={<Skeleton height={320} radius="md" />}>
            {({ items }) =>
              items.length === 0 ? (
                <EmptyState title="Test and production have the same configuration">
                  Change an entity, a setting or another item in test, and it is shown here.
                </EmptyState>
              ) : (
                <Differences items={items} chosen={chosen} onChoose={onChoose} />
              )
            }
          </Loaded>
          {diff.data !== undefined && <PublishBar differences={diff.data.items} chosen={chosen} onChoose={onChoose} />}
        </section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <section aria-labelledby="staged">
          <Title order={2} id="staged" mb="sm">
            Staged for production
          </Title>
          <Loaded query={staged} skeleton={<Skeleton height={180} radius="md" />}>
            {(data) => <Staged staged={data} />}
          </Loaded>
        </section>
      </Grid.Col>
    </Grid>
  );
}
