import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { Screen } from '../../components/screen.tsx';
import { NewItem } from '../config/new-item.tsx';
import { schemasQuery } from '../config/queries.ts';
import { BlockForm } from './block-form.tsx';
import { whyNoForm } from './steps.ts';
import { TryDraft } from './try-draft.tsx';

const kind = 'logicblock';
const blank: object = { name: '', steps: [] };

export function NewLogicBlock() {
  const { org, env } = usePlace();
  const navigate = useNavigate();
  const schemas = useQuery(schemasQuery);
  const toBlock = (name: string) =>
    navigate({ to: '/o/$org/$env/logic-blocks/$name', params: { org, env, name }, ignoreBlocker: true });
  return (
    <Screen
      title="New logic block"
      intro="Steps are done in their order. A later step reads what an earlier one gave, as steps.id."
    >
      <Loaded query={schemas} skeleton={<Skeleton height={420} />}>
        {(all) => {
          const schema = all.get(kind);
          if (schema === undefined) return <NotFound />;
          return (
            <NewItem
              key={env}
              kind={kind}
              schema={schema}
              initial={blank}
              list={`/o/${org}/${env}/logic-blocks`}
              onMade={toBlock}
              Form={BlockForm}
              check={whyNoForm}
              {...(env === 'test' ? { below: (draft, onTried) => <TryDraft draft={draft} onTried={onTried} /> } : {})}
            />
          );
        }}
      </Loaded>
    </Screen>
  );
}
