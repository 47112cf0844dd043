/** The words that the demo's records are made of. `{…}` is replaced by one of the words of that name, `{nr}` by a number. */

export interface Topic {
  readonly subject: string;
  readonly team: 'support' | 'billing' | 'field';
  readonly tags: readonly string[];
}

export interface Contents {
  readonly tags: readonly string[];
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly topics: readonly Topic[];
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

const topic = (team: Topic['team'], tags: string, ...subjects: readonly string[]): readonly Topic[] =>
  subjects.map((subject) => ({ subject, team, tags: tags.split(', ') }));

const billing = [
  ...topic('billing', 'invoice', 'Invoice {nr} was sent twice', 'Invoice {nr} has our old address'),
  ...topic(
    'billing',
    'invoice, refund',
    'Credit note for invoice {nr} is missing',
    'Reminder for invoice {nr}, which is paid',
  ),
  ...topic(
    'billing',
    'contract',
    'Please quote {count} of the {product}',
    'Our contract ends in {month}: what changes?',
  ),
];

const lumen: Contents = {
  tags: [
    'warranty',
    'delivery',
    'invoice',
    'refund',
    'contract',
    'installation',
    'dimmer',
    'outdoor',
    'safety',
    'spare part',
  ],
  words: {
    weekday: weekdays,
    product: [
      'desk lamp',
      'floor lamp',
      'ceiling spot',
      'track light',
      'panel',
      'bollard light',
      'wall washer',
      'pendant',
      'strip',
    ],
    place: [
      'foyer',
      'meeting room',
      'stairwell',
      'car park',
      'workshop',
      'canteen',
      'server room',
      'showroom',
      'reception',
    ],
    count: ['12', '20', '36', '48', '60', '150'],
    month: ['January', 'March', 'June', 'September', 'December'],
  },
  topics: [
    ...topic('support', 'warranty', 'The {product} in the {place} flickers', 'The {product} in the {place} stays dark'),
    ...topic(
      'support',
      'warranty, spare part',
      'The {product} hums since the last storm',
      'Cover of the {product} is cracked',
    ),
    ...topic(
      'support',
      'dimmer',
      'Dimmer of the {place} jumps from 10 to 40 %',
      'Which dimmer goes with the {product}?',
    ),
    ...topic('support', 'delivery', 'Two boxes of the {product} are missing', 'The {product} came in the wrong colour'),
    ...topic('field', 'installation', 'Please mount the {product} in the {place}', 'New circuit for the {place}'),
    ...topic(
      'field',
      'outdoor, safety',
      'Water in the {product} outside',
      'Emergency light of the {place} fails its test',
    ),
    ...billing,
  ],
};

const harbour: Contents = {
  tags: [
    'warranty',
    'delivery',
    'invoice',
    'refund',
    'contract',
    'workshop',
    'battery',
    'brakes',
    'theft',
    'spare part',
  ],
  words: {
    weekday: weekdays,
    product: ['city bike', 'cargo bike', 'e-bike', 'folding bike', 'trailer', 'child seat', 'tandem', 'racing bike'],
    place: ['north pier', 'station', 'old town', 'ferry', 'market hall', 'campus', 'fish market'],
    count: ['2', '4', '6', '10', '25'],
    month: ['February', 'April', 'May', 'August', 'October'],
  },
  topics: [
    ...topic('support', 'battery', 'Battery of the {product} lasts ten minutes', 'Charger at the {place} shows red'),
    ...topic(
      'support',
      'brakes, warranty',
      'Brakes of the {product} squeal',
      'The {product} pulls to the left when it brakes',
    ),
    ...topic('support', 'warranty, spare part', 'Spokes of the {product} break', 'Chain of the {product} jumps off'),
    ...topic('support', 'theft', 'The {product} was stolen at the {place}', 'Lock at the {place} does not open'),
    ...topic('field', 'workshop', 'Collect {count} bikes at the {place}', 'Flat tyre at the {place}, number {nr}'),
    ...topic(
      'field',
      'delivery',
      'Deliver the {product} to the {place}',
      'The gate at the {place} was locked at the handover',
    ),
    ...billing,
  ],
};

export const contents: Readonly<Record<string, Contents>> = { lumen, harbour };

export const customerNames = {
  first: [
    'Blue',
    'Alder',
    'Meridian',
    'Kestrel',
    'Linden',
    'Granite',
    'Silver',
    'Fjord',
    'Maple',
    'Juniper',
    'Copper',
    'Tidal',
  ],
  last: ['Ltd', 'Hotels', 'Dental Care', 'Logistics', 'Schools', 'Bakery', 'Architects', 'Fitness', 'Print', 'Foods'],
};

/** The comments that agents write at each stage of a ticket, by team. */
export const comments: Readonly<Record<Topic['team'], readonly (readonly string[])[]>> = {
  support: [
    [
      'Called back, the line was busy. I try again tomorrow morning.',
      'Same as last month: please look at the history before you call.',
      'They sent two photos, which I added to the order.',
      'It began on {weekday}, after the cleaning.',
      'Asked whether it is the one that we delivered under note {nr}.',
    ],
    [
      'Spare part ordered, due in {count} days.',
      'Waiting for the serial number, asked by mail.',
      'The manufacturer wants it back for a look, label {nr} is sent.',
      'They try it until {weekday} and tell us.',
    ],
    [
      'Replaced under warranty, delivery note {nr}.',
      'Solved on the phone: it was switched off.',
      'The customer confirms that it works.',
      'They keep it as it is, with 10 % off.',
      'Duplicate of an earlier ticket, which goes on there.',
    ],
  ],
  billing: [
    [
      'Our fault: the old address is still in the contract.',
      'Asked accounting, answer by {weekday}.',
      'They want to pay by direct debit from now on.',
    ],
    [
      'Accounting checks the payment of {month}.',
      'Quote {nr} is out, valid for 30 days.',
      'Waiting for their order number.',
    ],
    [
      'Credit note {nr} is sent.',
      'Paid, with the reference {nr}.',
      'New contract signed, from {month} on.',
      'Corrected invoice sent by mail.',
    ],
  ],
  field: [
    [
      'Needs a visit. The caretaker is there from 7 to 12.',
      'Access by the back door, the key is at the desk.',
      'Take the long ladder.',
    ],
    [
      'Booked for {weekday} morning.',
      'The landlord has to agree first.',
      'Postponed: the van is in the garage until {weekday}.',
    ],
    ['Done on site, signed by the caretaker.', 'Done, an hour more than planned.', 'Done. Photos are with order {nr}.'],
  ],
};
