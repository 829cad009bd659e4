/**
 * Names: people as a large tenant has them, in several scripts. Some names are frequent and most are rare: the nth name of a list has one
 * person in proportion to 1 / (n + 2). Of a tenth the family name is made of syllables.
 */
export interface Named {
  readonly name: string | null
  readonly email: string
}

/** The rarest word of all: one person has it, or in a million four. */
export const rareName = 'Quillfeather'

interface Names {
  readonly first: readonly string[]
  readonly last: readonly string[]
  /** How many of a hundred people have them. */
  readonly share: number
  /** What is between the names, if the family name is the first. */
  readonly between?: string
}

const split = (text: string) => text.split(' ')
const latin: Names = {
  share: 74,
  first: split(
    'Michael Maria James Anna John Sarah David Laura Thomas Emma Daniel Julia Robert Sophie Peter Lena Paul Elena Martin Clara Walter Nina Jan Ida Luis Marta Jean Camille Pierre Chloé José Inés Søren Zoë Łukasz Zofia Jürgen Björn Françoise Mehmet Ayşe Oliver Grace Henry Lucy Felix Mia Hugo Alice Oscar Ruth Simon Vera Tom Wanda Ulrich Yara Victor Xenia',
  ),
  last: split(
    'Smith Müller Johnson García Brown Schmidt Martin Rossi Wilson Fischer Silva Meyer Taylor Weber Anderson López Jones Becker Bernard Hoffmann Nielsen Kowalski Novák Jansen Wagner Clark Richard Bauer Dubois Walker Hansen Young Klein Moreau King Wolf Costa Scott Schröder Green Neumann Baker Zimmermann Hill Krüger Adams Hofmann Nelson Lange Carter O’Neill Mitchell Vogel Roberts Peeters Turner Lindqvist Phillips Öztürk Yılmaz Evans Popescu Parker Nagy Collins Virtanen Edwards Andersen Stewart Ivanova Morris Zhang Rogers Nguyen',
  ),
}
const others: readonly Names[] = [
  {
    share: 9,
    between: '',
    first: split('伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 霞 平 刚 桂英 建国 志强 秀兰 晓明 子轩'),
    last: split('王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗 梁 宋 郑 谢 韩 唐 冯 于 董 萧'),
  },
  {
    share: 4,
    between: ' ',
    first: split('太郎 花子 陽菜 蓮 結衣 悠真 美咲 翔太 さくら 大輔'),
    last: split('佐藤 鈴木 高橋 田中 渡辺 伊藤 山本 中村 小林 加藤 吉田 山田 田村'),
  },
  {
    share: 3,
    between: '',
    first: split('민준 서연 도윤 지우 하준 서현 지훈 수빈 은지 현우'),
    last: split('김 이 박 최 정 강 조 윤 장 임'),
  },
  {
    share: 5,
    first: split('Александр Мария Дмитрий Анна Сергей Елена Андрей Ольга Алексей Наталья Иван Юлия'),
    last: split('Иванов Смирнова Кузнецов Попова Соколов Лебедева Козлов Новикова Морозов Петрова Волков Фёдорова'),
  },
  {
    share: 3,
    first: split('محمد فاطمة أحمد عائشة علي زينب عمر مريم خالد نور'),
    last: split('الحسن المصري حداد خوري السيد منصور العلي ناصر بركات'),
  },
  {
    share: 2,
    first: split('Γιώργος Μαρία Δημήτρης Ελένη Νίκος Κατερίνα Γιάννης Σοφία'),
    last: split('Παπαδόπουλος Νικολάου Γεωργίου Δημητρίου Κωνσταντίνου Ιωάννου'),
  },
]
const scripts = [latin, ...others].flatMap((names) => Array.from({ length: names.share }, () => names))
const syllables = split('ba bel cor dan del fa gra han il ka lo mar nor ol pen quin ros sta tor ul van wes yar zel')
const places = split('gmail.com outlook.com yahoo.com icloud.com web.de gmx.de orange.fr qq.com proton.me libero.it')

/** The same people each time, each with an address of their own. @param first counts from 1 */
export function* people(first: number, count: number): Generator<Named> {
  for (let n = first; n < first + count; n++) yield person(n)
}

function person(n: number): Named {
  const random = randomOf(n)
  const names = scripts[Math.floor(random() * scripts.length)] ?? latin
  const made = syllableName(random)
  const [first, last] = [frequentOf(names.first, random()), random() < 0.1 ? made : frequentOf(names.last, random())]
  const family = n % 250_000 === 500 ? rareName : last
  const full = names.between === undefined ? `${first} ${family}` : `${family}${names.between}${first}`
  const [one, other] = [first, family].map((each) => asciiOf(each) || made.toLowerCase())
  const locals = [`${one}.${other}`, `${one}.${other}`, `${one?.[0]}${other}`, `${one}_${other}`, `${other}`]
  const place = random() < 0.6 ? frequentOf(places, random()) : `${syllableName(random).toLowerCase()}.com`
  return {
    name: random() < 0.05 ? null : full,
    email: `${locals[Math.floor(random() * locals.length)]}${n}@${place}`,
  }
}

function syllableName(random: () => number): string {
  const text = Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join('')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @param part from 0 to 1 */
function frequentOf(list: readonly string[], part: number): string {
  return list[Math.floor(3 * ((list.length + 3) / 3) ** part - 3)] ?? ''
}

function asciiOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
}

/** @returns numbers from 0 to 1 that depend on the seed alone (mulberry32) */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
