// Lets Sabaki's own GTP library drive an engine, and tells what it heard, as lines of JSON.
//
// node sabaki.cjs MODULES ANALYSIS ENGINE [ARGUMENT...] < SCRIPT
//
// MODULES is the node_modules with @sabaki/gtp. ANALYSIS is Sabaki's src/modules/analysis.js, or
// "-". Each line of SCRIPT is a command, or `milliseconds command`, which is interrupted after that
// time in the way that Sabaki does: by the next command.

const {createRequire} = require('module')
const path = require('path')
const {pathToFileURL} = require('url')
const [modules, analysis, engine, ...args] = process.argv.slice(2)
const {Controller, Command} = createRequire(path.resolve(modules, 'x.js'))('@sabaki/gtp')

const alphabet = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'
const board = {
  // as @sabaki/go-board has it, for 9x9
  parseVertex: (text) => [alphabet.indexOf(text[0].toUpperCase()), 9 - +text.slice(1)],
}

const tell = (fact) => process.stdout.write(JSON.stringify(fact) + '\n')

async function main() {
  const parse =
    analysis === '-' ? null : (await import(pathToFileURL(analysis).href)).parseAnalysis
  const controller = new Controller(engine, args)
  controller.on('stopped', () => tell({stopped: true}))
  controller.start()
  const lines = require('fs').readFileSync(0, 'utf8').split('\n').filter(Boolean)
  for (const line of lines) {
    const [, milliseconds, text] = line.match(/^(?:(\d+) )?(.*)$/)
    const command = Command.fromString(text)
    const format = command.name.startsWith('kata') ? 'float' : 'integer'
    const began = Date.now()
    const answer = controller.sendCommand(command, ({line, end}) => {
      const variations = parse && line.startsWith('info ') ? parse(line, board, format) : null
      tell({command: text, line, end, variations, after: Date.now() - began})
    })
    if (milliseconds) {
      await new Promise((resolve) => setTimeout(resolve, +milliseconds))
      const stopped = Date.now()
      await controller.sendCommand(Command.fromString('protocol_version'))
      tell({interrupted: text, within: Date.now() - stopped})
    }
    const {error, content} = await answer
    tell({command: text, error, content})
  }
  await controller.stop()
}

main()
