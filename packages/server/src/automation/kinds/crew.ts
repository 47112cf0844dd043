import type { InputError } from '@freehold/contract/problem';
import { entityReference } from '../../entities/port.ts';
import { readContent } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import {
  type ConfigKind,
  describeList,
  describeMembers,
  type ItemReference,
  listed,
  otherName,
  plainStorage,
} from '../../promotion/port.ts';
import { itemName, listOf, remark, repeated, someText } from './kind-content.ts';

/** Agents that work together. Nothing runs them yet. */
interface CrewContent {
  readonly name: string;
  readonly description?: string;
  readonly status: 'active' | 'inactive';
  readonly agents: readonly CrewAgent[];
  /** The order of the agents; left out, they are independent. */
  readonly nodes?: readonly CrewNode[];
}

interface CrewAgent {
  readonly name: string;
  readonly prompt: string;
  readonly model: string;
  readonly tools?: readonly CrewTool[];
  /** The rules that the agent must heed, in words. */
  readonly guardrails?: readonly string[];
  readonly memory?: { readonly type: 'none' | 'conversation'; readonly messages_max?: number };
}

interface CrewTool {
  readonly kind: 'logicblock' | 'entity';
  readonly name: string;
}

interface CrewNode {
  readonly id: string;
  readonly agent: string;
  readonly next?: readonly string[];
}

const agent: JsonSchema = closedObjectOf(
  {
    name: itemName,
    prompt: someText(20_000),
    model: someText(200),
    tools: listOf(closedObjectOf({ kind: { ...text, enum: ['logicblock', 'entity'] }, name: itemName }), 50),
    guardrails: listOf(someText(2000), 20),
    memory: closedObjectOf(
      {
        type: { ...text, enum: ['none', 'conversation'] },
        messages_max: { type: 'integer', minimum: 1, maximum: 1000 },
      },
      ['messages_max'],
    ),
  },
  ['tools', 'guardrails', 'memory'],
);

const node: JsonSchema = closedObjectOf({ id: itemName, agent: itemName, next: listOf(itemName, 20) }, ['next']);

const schema: JsonSchema = closedObjectOf(
  {
    name: itemName,
    description: remark,
    status: { ...text, enum: ['active', 'inactive'] },
    agents: listOf(agent, 20, 1),
    nodes: listOf(node, 50),
  },
  ['description', 'nodes'],
);

export const crewKind: ConfigKind<CrewContent> = {
  kind: 'crew',
  storage: plainStorage,
  singular: 'crew',
  boundedAs: 'crews',
  schema,
  parse: (name, input) =>
    readContent<CrewContent>(schema, input, (content) => [
      ...otherName('/name', name, content.name),
      ...crewErrors(content),
    ]),
  references: ({ agents }) =>
    agents.flatMap((one, index) =>
      (one.tools ?? []).flatMap((tool, at) => toolReference(one, tool, `/agents/${index}/tools/${at}/name`)),
    ),
  describe: ({ before, after }) => {
    if (before === undefined) {
      const names = listed(after?.agents.map(({ name }) => name) ?? []);
      return after === undefined ? [] : [`crew \`${after.name}\` is new, with the agents ${names}`];
    }
    if (after === undefined) return [`crew \`${before.name}\` is taken out`];
    const agents = describeList({
      what: 'agent',
      nameOf: ({ name }) => name,
      before: before.agents,
      after: after.agents,
      changed: changedAgent,
    });
    const nodes = describeList({ what: 'node', nameOf: ({ id }) => id, before: before.nodes, after: after.nodes });
    return [...describeMembers('', { before, after }, ['agents', 'nodes']), ...agents, ...nodes];
  },
  isIdle: ({ status }) => status === 'active',
  widening: ({ before, after }) => {
    const known = before?.status === 'active' ? toolsOf(before) : [];
    if (after?.status !== 'active') return [];
    return toolsOf(after)
      .filter((tool) => !known.includes(tool))
      .map((tool) => `the crew may use ${tool}`);
  },
};

function toolText({ kind, name }: CrewTool): string {
  return `the ${kind} \`${name}\``;
}

function toolsOf({ agents }: CrewContent): readonly string[] {
  return [...new Set(agents.flatMap(({ tools = [] }) => tools.map(toolText)))];
}

function changedAgent(before: CrewAgent, after: CrewAgent): readonly string[] {
  const label = `agent \`${after.name}\``;
  const was = (before.tools ?? []).map(toolText);
  const is = (after.tools ?? []).map(toolText);
  const gained = is.filter((tool) => !was.includes(tool)).map((tool) => `${label} may use ${tool}`);
  const lost = was.filter((tool) => !is.includes(tool)).map((tool) => `${label} may not use ${tool} any more`);
  const isAudited = gained.length + lost.length > 0;
  return [...gained, ...lost, ...describeMembers(`${label}: `, { before, after }, isAudited ? ['tools'] : [])];
}

function toolReference(
  { name: agentName }: CrewAgent,
  { kind, name }: CrewTool,
  pointer: string,
): readonly ItemReference[] {
  const reason = `its agent \`${agentName}\` uses the ${kind}`;
  return kind === 'entity' ? entityReference(name, pointer, reason) : [{ kind, name, pointer, reason }];
}

function crewErrors({ agents, nodes = [] }: CrewContent): readonly InputError[] {
  const names = agents.map(({ name }) => name);
  const ids = nodes.map(({ id }) => id);
  const unknown = (pointer: string, message: string): InputError => ({ pointer, code: 'unknown_reference', message });
  return [
    ...repeated(names, (index) => `/agents/${index}/name`),
    ...repeated(ids, (index) => `/nodes/${index}/id`),
    ...agents.flatMap(({ tools = [] }, index) => repeated(tools.map(toolText), (at) => `/agents/${index}/tools/${at}`)),
    ...nodes.flatMap(({ agent: name, next = [] }, index) => [
      ...(names.includes(name) ? [] : [unknown(`/nodes/${index}/agent`, `\`${name}\` is no agent of the crew`)]),
      ...next.flatMap((id, at) =>
        ids.includes(id) ? [] : [unknown(`/nodes/${index}/next/${at}`, `\`${id}\` is no node of the crew`)],
      ),
    ]),
  ];
}
