/** Puts a space between a Chinese word and a Latin word or number after it: `复制 App Key`. */
export function spaceWords(text: string): string {
  return text.replace(/(\p{Script=Han})(?=[A-Za-z\d])/gu, '$1 ');
}
