import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { Environment } from '../../../api/session.ts';
import type { Setting } from '../../config/queries.ts';
import { contentOf } from '../../settings/use-setting-draft.ts';
import type { Templates } from './with-template.ts';

/** The setting by which workspaces are founded with more than the platform gives them. */
export const setting = 'tenancy.workspace_templates';

export interface StoredTemplates {
  /** The value in effect in the environment. */
  readonly templates: Templates;
  /** The whole content of the setting; undefined if it was never set. */
  readonly content: Readonly<Record<string, unknown>> | undefined;
  /** Undefined if it was never set. */
  readonly tag: string | undefined;
}

const none: Templates = { policies: [], groups: [] };

export const templatesQuery = (env: Environment) =>
  queryOptions({ queryKey: ['templates', env], queryFn: ({ signal }) => readTemplates(env, signal) });

/** Of the list of settings, which has those that were never set: an item of its own would be missing. */
async function readTemplates(env: Environment, signal: AbortSignal): Promise<StoredTemplates> {
  const { items } = await call('listSettings', { query: { env }, signal });
  const stored = (items as readonly Setting[]).find(({ group, name }) => `${group}.${name}` === setting);
  if (stored === undefined || stored.version === 0) return { templates: none, content: undefined, tag: undefined };
  const content = contentOf(stored);
  const holds = env === 'prod' && 'prod_value' in content ? content.prod_value : content.value;
  return {
    templates: { ...none, ...(holds as Partial<Templates>) },
    content: { ...content },
    tag: `"${stored.version}"`,
  };
}
