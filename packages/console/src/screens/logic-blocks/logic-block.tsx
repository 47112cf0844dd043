import { Alert, Anchor, Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ItemVersions } from '../../components/item-versions.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { References } from '../config/config-item.tsx';
import { ContentTab } from '../config/content-tab.tsx';
import { type Item, itemQuery, schemasQuery } from '../config/queries.ts';
import { RemoveItem } from '../config/remove-item.tsx';
import { BlockForm } from './block-form.tsx';
import { RunNow } from './run-now.tsx';
import { whyNoForm } from './steps.ts';
import { TryDraft } from './try-draft.tsx';

const kind = 'logicblock';

/** One logic block: its content, which is tried as it is typed, what refers to it, and its versions. */
export function LogicBlock() {
  const { org, env } = usePlace();
  const { name } = useParams({ from: '/o/$org/$env/logic-blocks/$name' });
  const { tab = 'content' } = useSearch({ from: '/o/$org/$env/logic-blocks/$name' });
  const navigate = useNavigate();
  const item = useQuery(itemQuery({ env, kind, name }));
  const schemas = useQuery(schemasQuery);
  const schema = schemas.data?.get(kind);
  return (
    <Screen
      title={name}
      intro={
        <>
          A logic block.{' '}
          <Anchor
            component={Link}
            underline="always"
            to={`/o/${org}/${env}/runs`}
            search={{ block: name } as never}
            size="sm"
          >
            Its runs
          </Anchor>
        </>
      }
      actions={item.data !== undefined && <Actions key={name} name={name} item={item.data} />}
    >
      {item.data?.warnings.map((warning) => (
        <Alert key={warning} color="yellow">
          <Sentence text={warning} />
        </Alert>
      ))}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({ to: '.', search: chosen === null || chosen === 'content' ? {} : { tab: chosen } })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="content">Content</Tabs.Tab>
          <Tabs.Tab value="references">References</Tabs.Tab>
          {env === 'test' && <Tabs.Tab value="versions">Versions</Tabs.Tab>}
        </Tabs.List>
        <Loaded query={item} skeleton={<Skeleton height={420} />}>
          {(data) => (
            <>
              <Tabs.Panel value="content">
                <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
                  {() =>
                    schema === undefined ? (
                      <NotFound />
                    ) : (
                      <ContentTab
                        key={`${env} ${name}`}
                        kind={kind}
                        name={name}
                        schema={schema}
                        item={data}
                        Form={BlockForm}
                        check={whyNoForm}
                        {...(env === 'test' ? { below: (draft) => <TryDraft draft={draft} /> } : {})}
                      />
                    )
                  }
                </Loaded>
              </Tabs.Panel>
              <Tabs.Panel value="references">
                <References item={data} />
              </Tabs.Panel>
              {env === 'test' && (
                <Tabs.Panel value="versions">
                  <ItemVersions kind={kind} name={name} />
                </Tabs.Panel>
              )}
            </>
          )}
        </Loaded>
      </Tabs>
    </Screen>
  );
}

function Actions({ name, item }: { readonly name: string; readonly item: Item }) {
  const { org, env, adminReason } = usePlace();
  const navigate = useNavigate();
  const ofCaller =
    Reflect.get(item.content, 'run_as') === 'app'
      ? undefined
      : 'It runs by the rights of its caller, and builders have none in production.';
  return (
    <>
      <RunNow block={name} hasInput reason={env === 'prod' ? (adminReason ?? ofCaller) : undefined} />
      <RemoveItem
        kind={kind}
        name={name}
        referencedBy={item.referencedBy}
        toList={() => navigate({ to: '/o/$org/$env/logic-blocks', params: { org, env } })}
      />
    </>
  );
}
