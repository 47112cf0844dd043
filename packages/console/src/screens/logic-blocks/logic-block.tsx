import { Alert, Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Screen } from '../../components/screen.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { ItemTabs } from '../config/item-tabs.tsx';
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
  const item = useQuery(itemQuery({ env, kind, name }));
  const schemas = useQuery(schemasQuery);
  const schema = schemas.data?.get(kind);
  const isGone = item.error instanceof ApiProblem && item.error.code === 'not_found';
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
      {isGone ? (
        <EmptyState title="There is no such logic block here">
          {env === 'test'
            ? 'It was removed, or never made. Its runs are still listed.'
            : 'It is not live in production. A deploy brings it here from test.'}
        </EmptyState>
      ) : (
        <ItemTabs
          named={{ env, kind, name }}
          tab={tab}
          item={item}
          schemas={schemas}
          schema={schema}
          Form={BlockForm}
          check={whyNoForm}
          {...(env === 'test' ? { below: (draft, onTried) => <TryDraft draft={draft} onTried={onTried} /> } : {})}
        />
      )}
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
        item={item}
        toList={() => navigate({ to: '/o/$org/$env/logic-blocks', params: { org, env } })}
      />
    </>
  );
}
