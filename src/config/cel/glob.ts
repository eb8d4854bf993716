/** Shell-like patterns of selectors: `*` any run of characters, `?` one, `[…]` a set; matching ends at no separator. */

/** True when the whole text matches the pattern. */
export function globMatch(pattern: string, value: string): boolean {
  try {
    return new RegExp(`^${globSource(pattern)}$`, 's').test(value);
  } catch {
    // A set such as [z-a] is no pattern; it matches nothing.
    return false;
  }
}

function globSource(pattern: string): string {
  let source = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '*') {
      source += source.endsWith('.*') ? '' : '.*';
    } else if (character === '?') {
      source += '.';
    } else if (character === '[' && pattern.indexOf(']', at + 2) !== -1) {
      const end = pattern.indexOf(']', at + 2);
      source += characterSet(pattern.slice(at + 1, end));
      at = end;
    } else {
      const escaped = character === '\\' && at + 1 < pattern.length;
      at += escaped ? 1 : 0;
      source += escapeLiteral(pattern.charAt(at));
    }
  }
  return source;
}

function characterSet(body: string): string {
  const negated = body.startsWith('!') || body.startsWith('^');
  const inner = (negated ? body.slice(1) : body).replace(/[\\\]^]/g, '\\$&');
  return `[${negated ? '^' : ''}${inner}]`;
}

function escapeLiteral(character: string): string {
  return character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
