/** How much one reply may yet read and write of records beside those that were asked for, in characters. */
export interface ReplyRoom {
  read: number;
  /** A record to which many others point is written with each of them. */
  written: number;
}

const charactersMax = 4 * 1024 * 1024;

export function newRoom(): ReplyRoom {
  return { read: charactersMax, written: charactersMax };
}

/** Whether there is room to write so much, which is taken then. */
export function takeWritten(room: ReplyRoom, characters: number): boolean {
  if (characters > room.written) return false;
  room.written -= characters;
  return true;
}
