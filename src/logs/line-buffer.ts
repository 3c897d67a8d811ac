const NEWLINE = 0x0a;

/** Bytes that come in pieces cut anywhere, to be read as whole lines. */
export interface LineBuffer {
  /** The next bytes. */
  push(chunk: Uint8Array): void;
  /** No more comes: what is left is a line. */
  end(): void;
}

/** What is done with lines. */
export interface LineReader {
  /** The first `length` bytes of the room are whole lines; the last of them is a newline. */
  lines(length: number): void;
  /** A line is longer than `longestLine` and was left out. */
  tooLong(): void;
  /** A longer line may be left out. */
  longestLine: number;
}

/**
 * Puts bytes together to lines in `room`, which needs more than twice the longest line; nothing else is allocated. Lines
 * that are too long may still be among those that are read, when they came in one piece.
 */
export function createLineBuffer(room: Buffer, reader: LineReader): LineBuffer {
  /** Bytes at the beginning of the room: the line under way. */
  let begun = 0;
  /** The line under way is too long: what comes of it is not kept. */
  let isSkipping = false;
  /** One byte is kept for the newline that the last line may lack. */
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
