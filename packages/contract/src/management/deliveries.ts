import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, count, guid, named, ofRecords, oneOf, orNull, pageOf, text, time, timeOrDay } from '../schema.ts';

export const DeliveryAttempt = named(
  'DeliveryAttempt',
  Type.Object({
    at: time,
    status: orNull(Type.Integer(), { description: 'The status of the answer; null if there was none.' }),
    ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    answer: ofRecords(Type.String({ description: 'The first 1,024 bytes of the answer, or why there is none.' })),
  }),
);

const states = ['waiting', 'retrying', 'delivered', 'dead'] as const;
const ops = ['create', 'update', 'delete'] as const;

export const EventDelivery = named(
  'EventDelivery',
  Type.Object({
    id: guid,
    event: text,
    entity: text,
    op: oneOf(ops),
    record: Type.String({ description: 'The id of the record.' }),
    tenant_code: text,
    written_at: Type.String({ format: 'date-time', description: 'The time of the write.' }),
    state: oneOf(states),
    count: Type.Integer({ minimum: 0, description: 'How often it was sent.' }),
    attempts: Type.Array(DeliveryAttempt, { description: 'The last 20.' }),
    next_at: orNull(time),
  }),
);

const someText = Type.Optional(text);

export const ListedEvent = named(
  'ListedEvent',
  Type.Object({
    name: text,
    entity_name: text,
    event_stage: oneOf(['before', 'after']),
    event_optype: oneOf(ops),
    event_type: oneOf(['webhook', 'mail', 'record', 'logicblock', 'crew']),
    enabled: Type.Boolean(),
    when: Type.Optional(Type.String({ description: 'The condition in CEL.' })),
    entry_conditions: Type.Integer({ minimum: 0, description: 'How many conditions on fields it has beside `when`.' }),
    destination: Type.Object(
      { url: someText, to: someText, entity: someText, action: someText, logicblock: someText, crew: someText },
      {
        description: 'Of the destination in the environment: what is named there, without headers, texts and values.',
      },
    ),
    last_delivery: Type.Optional(
      Type.Object(
        {
          id: guid,
          state: oneOf(states),
          written_at: time,
          attempt: orNull(DeliveryAttempt, { description: 'The last attempt.' }),
        },
        { description: 'That of the latest write which was sent, or given up.' },
      ),
    ),
  }),
);

export const EventSecret = named(
  'EventSecret',
  Type.Object({
    created_at: orNull(time, { description: 'Null if no secret was asked for yet.' }),
    previous_until: orNull(time, { description: 'Until when the secret before it signs along.' }),
  }),
);

export const CreatedEventSecret = named(
  'CreatedEventSecret',
  Type.Object({ secret: Type.String({ pattern: '^whsec_' }), created_at: time, previous_until: time }),
);

export const EventTest = named(
  'EventTest',
  Type.Object({
    ran: Type.Boolean({ description: 'Whether the sample meets the conditions of the event.' }),
    delivery: Type.Optional(
      Type.Object({
        state: oneOf(['delivered', 'failed', 'refused']),
        status: orNull(Type.Integer()),
        ms: Type.Integer({ minimum: 0 }),
        answer: text,
      }),
    ),
  }),
);

export const EventState = named(
  'EventState',
  Type.Object({
    name: text,
    paused: Type.Optional(
      Type.Object({ at: time, by: Type.String({ description: 'The id of the builder who paused it.' }) }),
    ),
    waiting: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'How many deliveries wait in the workspaces that were looked at. 1,000 stands for more, too.',
    }),
    circuit: Type.Optional(
      Type.Object(
        { failures: count, open_until: orNull(time) },
        {
          description:
            'How its endpoint has failed lately, and until when it is left alone, as the node knows that answers.',
        },
      ),
    ),
    undeliverable: Type.Optional(
      Type.String({
        description:
          'Why the platform never calls its address in this environment: all that it sends is given up at once.',
      }),
    ),
  }),
);

const query = closed({ env: environment });
const sample = Type.Object({}, { description: 'The fields of a record.' });

/** The events of an environment, and what became of their deliveries. */
export const deliveriesApi = {
  listEvents: route({
    method: 'GET',
    path: '/events',
    access: 'developer',
    tag: 'events',
    summary: 'The live events of an environment',
    description: 'Each with its last delivery. By name. The whole content of one is at `GET /config/event/{name}`.',
    query: closed({ env: environment, pagesize, nexttoken }),
    replies: { 200: reply('A page.', pageOf(ListedEvent)) },
    problems: ['invalid_cursor', 'conflict'],
    production: { leftOut: 'the answers of receivers' },
  }),
  listDeliveries: route({
    method: 'GET',
    path: '/events/deliveries',
    access: 'developer',
    tag: 'events',
    summary: 'The deliveries of events, the newest first',
    description:
      'A delivery is listed from its first attempt on: for 7 days after it was delivered, and for 30 days after it was given up (`dead`).',
    query: closed({
      env: environment,
      event: Type.Optional(Type.String({ maxLength: 100, description: 'The name of an event.' })),
      state: Type.Optional(oneOf(states, { description: 'The state of the deliveries.' })),
      since: Type.Optional(timeOrDay('The earliest time of their writes.')),
      until: Type.Optional(timeOrDay('Only writes before this time.')),
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: {
      200: reply('A page. It may be short or empty; with a `nexttoken` there may be more.', pageOf(EventDelivery)),
    },
    problems: ['invalid_cursor'],
    production: { leftOut: 'the answers of receivers' },
  }),
  readDelivery: route({
    method: 'GET',
    path: '/events/deliveries/:id/attempts',
    access: 'developer',
    tag: 'events',
    summary: 'A delivery with its last attempts',
    query,
    replies: { 200: reply('The delivery.', EventDelivery) },
    problems: ['not_found'],
    production: { leftOut: 'the answers of receivers' },
  }),
  redeliver: route({
    method: 'POST',
    path: '/events/deliveries/:id/redeliver',
    access: 'developer',
    tag: 'events',
    summary: 'Sends a delivery again',
    description: 'One that was delivered or given up, with the same id.',
    query,
    replies: { 202: reply('It waits to be sent.', Type.Object({ id: guid })) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'delivery.redelivery_refused',
    production: { refused: 'always' },
  }),
  redeliverMany: route({
    method: 'POST',
    path: '/events/deliveries/redeliver',
    access: 'developer',
    tag: 'events',
    summary: 'Sends deliveries of an event again, the newest first',
    description: 'One call sends at most 200. `more` says that others may be left.',
    query: closed({
      env: environment,
      dry_run: Type.Boolean({ default: false, description: 'Replies with how many would be sent, and sends none.' }),
    }),
    body: closed({
      event: Type.String({ minLength: 1, maxLength: 100 }),
      state: oneOf(['dead', 'delivered']),
      since: Type.Optional(timeOrDay('The earliest time of their writes.')),
      until: Type.Optional(timeOrDay('Only writes before this time.')),
    }),
    replies: {
      202: reply('They wait to be sent.', Type.Object({ count, more: Type.Boolean() })),
      200: reply('How many would be sent, by a dry run.', Type.Object({ count, more: Type.Boolean() })),
    },
    refusedAs: 'delivery.redelivery_refused',
    production: { refused: 'always' },
  }),
  testEvent: route({
    method: 'POST',
    path: '/events/:name/test',
    access: 'developer',
    tag: 'events',
    summary: 'Delivers a sample at once, by the event as it is live',
    description: 'The body that is sent has `"test": true`. It is sent once, and leaves no receipt.',
    query,
    body: closed({ record: sample, before: Type.Optional(sample) }),
    replies: { 200: reply('What came of it.', EventTest) },
    problems: ['not_found', 'conflict'],
    repeats: { notRemembered: 'sends a sample each time, and changes nothing' },
    isRead: true,
    production: { refused: 'always' },
  }),
  showEventSecret: route({
    method: 'GET',
    path: '/events/:name/secret',
    access: 'org_admin',
    tag: 'events',
    summary: 'When the secret of an event was made',
    query,
    replies: { 200: reply('Without the secret itself.', EventSecret) },
    problems: ['not_found', 'conflict'],
  }),
  makeEventSecret: route({
    method: 'POST',
    path: '/events/:name/secret',
    access: 'org_admin',
    tag: 'events',
    summary: 'Makes a new secret that signs what an event sends',
    description:
      'By Standard Webhooks; the secret is returned this once. The secret before it signs along for 24 hours, so that receivers have time to change.',
    query,
    replies: { 201: reply('Made.', CreatedEventSecret) },
    problems: ['not_found', 'conflict'],
    refusedAs: 'event.secret_refused',
  }),
  pauseEvent: route({
    method: 'POST',
    path: '/events/:name/pause',
    access: 'developer',
    tag: 'events',
    summary: 'Pauses the deliveries of an event',
    description:
      'Of an event after writes; what it would send waits. In this environment alone, for other versions of the event too. A delivery that is under way comes to its end.',
    query,
    replies: { 204: reply('Paused.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'event.pause_refused',
    production: { refused: 'always' },
  }),
  resumeEvent: route({
    method: 'POST',
    path: '/events/:name/resume',
    access: 'developer',
    tag: 'events',
    summary: 'Ends the pause of an event; what waits is sent now',
    description:
      'The same call has what waits for an event that is not paused sent now, such as after the repair of a receiver. Of an org with very many workspaces, what waits behind the first of them is sent within a minute.',
    query,
    replies: { 204: reply('It is not paused.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'event.resume_refused',
    production: { refused: 'always' },
  }),
  listEventStates: route({
    method: 'GET',
    path: '/events/state',
    access: 'developer',
    tag: 'events',
    summary: 'Which events are paused, and what waits to be delivered',
    description:
      'Events after writes that are live, and those that are paused, on each page. A page looks into up to 200 workspaces, and counts what waits there.',
    query: closed({ env: environment, nexttoken }),
    compressed: 'reply',
    replies: { 200: reply('The events, by name. With a `nexttoken` there are more workspaces.', pageOf(EventState)) },
    problems: ['invalid_cursor', 'conflict'],
  }),
};
