import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { ApiProblem } from '../../../api/problem.ts';
import type { Environment } from '../../../api/session.ts';
import type { Templates } from './with-template.ts';

/** The setting by which workspaces are founded with more than the platform gives them. */
export const setting = 'tenancy.workspace_templates';

export interface StoredTemplates {
  /** What holds in the environment. */
  readonly templates: Templates;
  /** The whole content of the setting; undefined if it was never set. */
  readonly content: Readonly<Record<string, unknown>> | undefined;
  /** Undefined if it was never set. */
  readonly tag: string | undefined;
}

interface StoredSetting {
  readonly content: Readonly<Record<string, unknown>>;
  readonly version: number;
}

const none: Templates = { policies: [], groups: [] };

export const templatesQuery = (env: Environment) =>
  queryOptions({ queryKey: ['templates', env], queryFn: ({ signal }) => readTemplates(env, signal) });

async function readTemplates(env: Environment, signal: AbortSignal): Promise<StoredTemplates> {
  try {
    const params = { kind: 'settings', name: setting };
    const body = await call('readConfigItem', { params, query: { env }, signal });
    const { content, version } = body as StoredSetting;
    const holds = env === 'prod' && 'prod_value' in content ? content.prod_value : content.value;
    return { templates: { ...none, ...(holds as Partial<Templates>) }, content, tag: `"${version}"` };
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'not_found')
      return { templates: none, content: undefined, tag: undefined };
    throw error;
  }
}
