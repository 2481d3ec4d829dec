/** Of what was seen, for each outcome after it: half is forgotten after 15, so a tool that changes is followed within 30 (DESIGN 9). */
export const betaDecay = 0.955
