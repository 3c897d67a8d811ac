const NEWLINE = 0x0a;

export interface LineBuffer {
  push(chunk: Uint8Array): void;
  end(): void;
}

export interface LineReader {
  /** Called when the first `length` bytes are whole lines. */
  lines(length: number): void;
  /** Called when a line was left out. */
  tooLong(): void;
  /** Longer ones may be left out. */
  longestLine: number;
}

/** `room` has to exceed twice the longest line. Nothing else is allocated. */
export function createLineBuffer(room: Buffer, reader: LineReader): LineBuffer {
  /** Bytes of the unfinished line. */
  let begun = 0;
  /** The unfinished line is too long. */
  let isSkipping = false;
  /** One byte is reserved for a missing final newline. */
  const free = () => room.length - 1 - begun;

  function arrived(length: number): void {
    let from = begun;
    let to = begun + length;
    if (isSkipping) {
      const end = room.subarray(0, to).indexOf(NEWLINE) + 1;
      if (end === 0) return;
      isSkipping = false;
      room.copyWithin(0, end, to);
      from = 0;
      to -= end;
    }
    const lines = from + room.subarray(from, to).lastIndexOf(NEWLINE) + 1;
    begun = to;
    if (lines > from) {
      reader.lines(lines);
      room.copyWithin(0, lines, to);
      begun = to - lines;
    }
    if (begun <= reader.longestLine) return;
    reader.tooLong();
    begun = 0;
    isSkipping = true;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + free());
        room.set(part, begun);
        at += part.length;
        arrived(part.length);
      }
    },
    end() {
      if (begun === 0) return;
      room[begun] = NEWLINE;
      reader.lines(begun + 1);
      begun = 0;
    },
  };
}
