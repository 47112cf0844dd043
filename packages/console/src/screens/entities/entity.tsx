import { Button, Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ItemVersions } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { DefinitionTab } from './definition-tab.tsx';
import { IndexesTab } from './indexes-tab.tsx';
import { entityQuery, isAtWork } from './queries.ts';
import { RemoveEntity } from './remove-entity.tsx';

/** One entity: its definition, its indexes and what is done to its records, its versions. */
export function EntityScreen() {
  const { org, env } = usePlace();
  const { entity: name } = useParams({ from: '/o/$org/$env/entities/$entity' });
  const { tab = 'definition' } = useSearch({ from: '/o/$org/$env/entities/$entity' });
  const navigate = useNavigate();
  const entity = useQuery(entityQuery(env, name));
  return (
    <Screen
      title={name}
      actions={
        <>
          <Link to="/o/$org/$env/records/$entity" params={{ org, env, entity: name }}>
            {() => (
              <Button component="span" variant="default">
                Records
              </Button>
            )}
          </Link>
          <Link to="/o/$org/$env/api" params={{ org, env }} search={{ entity: name }}>
            {() => (
              <Button component="span" variant="default">
                API reference
              </Button>
            )}
          </Link>
          <RemoveEntity name={name} />
        </>
      }
    >
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({ to: '.', search: chosen === null || chosen === 'definition' ? {} : { tab: chosen } })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="definition">Definition</Tabs.Tab>
          <Tabs.Tab value="indexes">
            Indexes{entity.data !== undefined && isAtWork(entity.data) ? ', at work' : ''}
          </Tabs.Tab>
          {env === 'test' && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
        </Tabs.List>
        <Loaded query={entity} skeleton={<Skeleton height={420} />}>
          {(data) => (
            <>
              <Tabs.Panel value="definition">
                <DefinitionTab key={`${env} ${name}`} entity={data} />
              </Tabs.Panel>
              <Tabs.Panel value="indexes">
                <IndexesTab entity={data} />
              </Tabs.Panel>
              {env === 'test' && (
                <Tabs.Panel value="versions">
                  <ItemVersions kind="entity" name={name} />
                </Tabs.Panel>
              )}
            </>
          )}
        </Loaded>
      </Tabs>
    </Screen>
  );
}
