// Addresses as texts: what stands at their end, and what in them is nobody else's business.

/** The text without the slashes that it ends with. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

const USER_MASK = '[secret]@';

/** Each address in a text with its user and password masked, as in `https://[secret]@venue.example`. */
export function withoutUsers(text: string): string {
  return eachAddress(text, (rest) => {
    const end = rest.search(/[/\s"]/);
    const authority = end < 0 ? rest : rest.slice(0, end);
    const at = authority.lastIndexOf('@');
    return at < 0 ? rest : USER_MASK + rest.slice(at + 1);
  });
}

/** Each address in a text with its query masked: keys stand there. */
export function withoutQueries(text: string): string {
  return eachAddress(text, (rest) => {
    const end = rest.search(/[\s"]/);
    const address = end < 0 ? rest : rest.slice(0, end);
    const at = address.indexOf('?');
    return at < 0 ? rest : `${rest.slice(0, at)}?[secret]${rest.slice(address.length)}`;
  });
}

/** What follows each `://` up to the next one, changed. */
function eachAddress(text: string, change: (rest: string) => string): string {
  const [head = '', ...rests] = text.split('://');
  return [head, ...rests.map(change)].join('://');
}
