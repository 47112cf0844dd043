/** The parts of a call as an argument, which may be left out where all of them may. */
export type PartsArgument<Parts> = Record<never, never> extends Parts ? [parts?: Parts] : [parts: Parts];
