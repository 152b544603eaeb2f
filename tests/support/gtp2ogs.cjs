// Lets gtp2ogs's own class Bot drive an engine through a game as OGS tells it, under one time
// control after the other, and tells the moves, as JSON on the last line. No network.
//
// GTP2OGS=CHECKOUT NODE_PATH=MODULES node gtp2ogs.cjs -c CONFIG
//
// MODULES is a node_modules with what gtp2ogs needs, and typescript. Its package goban-engine is not
// published; here it decodes nothing, for the moves below are decoded already.

const fs = require('fs')
const Module = require('module')
const path = require('path')
const typescript = require('typescript')

const source = path.join(process.env.GTP2OGS, 'src')

require.extensions['.ts'] = (module, file) => {
  const options = {module: 'commonjs', target: 'es2020', resolveJsonModule: true}
  const text = fs.readFileSync(file, 'utf8')
  const {outputText} = typescript.transpileModule(text, {compilerOptions: options})
  module._compile(outputText, file)
}

class GobanSocket {
  clock_drift = 0
  on() {}
  send() {}
}
const gobanEngine = {decodeMoves: (moves) => moves, GobanSocket}
const load = Module._load
Module._load = (name, ...rest) => (name === 'goban-engine' ? gobanEngine : load(name, ...rest))

const {Bot} = require(path.join(source, 'Bot.ts'))
const {config} = require(path.join(source, 'config.ts'))

const clock = (time) => ({
  current_player: 1,
  black_player_id: 1,
  last_move: Date.now(),
  black_time: time,
  white_time: time,
})

const controls = [
  {
    control: {system: 'byoyomi', main_time: 60, period_time: 10, periods: 3},
    time: {thinking_time: 60, period_time: 10, periods: 3},
  },
  {
    control: {system: 'byoyomi', main_time: 60, period_time: 10, periods: 3},
    time: {thinking_time: 0, period_time: 10, periods: 1},
  },
  {
    control: {system: 'canadian', main_time: 60, period_time: 50, stones_per_period: 5},
    time: {thinking_time: 0, block_time: 50, moves_left: 3},
  },
  {
    control: {system: 'fischer', initial_time: 60, time_increment: 5, max_time: 90},
    time: {thinking_time: 30},
  },
  {control: {system: 'simple', per_move: 5}, time: {}},
  {control: {system: 'absolute', total_time: 60}, time: {thinking_time: 20}},
]

const game = {
  game_id: 1,
  width: 9,
  height: 9,
  komi: 0.5,
  handicap: 2,
  free_handicap_placement: true,
  initial_player: 'black',
  moves: [
    {x: 2, y: 2},
    {x: 6, y: 6},
    {x: 6, y: 2},
    {x: -1, y: -1},
  ],
}

async function main() {
  const bot = new Bot(config.bot)
  const chats = []
  bot.on('chat', (message, channel) => chats.push([channel, message]))
  await bot.ready
  const moves = []
  for (const {control, time} of controls) {
    const state = {...game, time_control: control, clock: clock(time)}
    await bot.loadState(state)
    const [move] = await bot.getMoves('genmove white', state)
    moves.push([control.system, move.text])
  }
  const empty = {...game, moves: [], time_control: {}, clock: clock({})}
  await bot.loadState(empty)
  const placed = await bot.getMoves('place_free_handicap 3', empty)
  const failed = bot.failed
  bot.proc.on('exit', (code) => {
    process.stdout.write(JSON.stringify({moves, handicap: placed.length, failed, chats, code}))
    process.exit(0)
  })
  bot.kill()
}

main()
