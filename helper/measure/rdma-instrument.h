/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INSTRUMENT_H
#define RDMA_INSTRUMENT_H

#include "rdma-fabric.h"

#include <ns3/object.h>

#include <ostream>

namespace ns3
{

class RdmaFlowRunnerBase;

/**
 * \ingroup rdma
 * Watches a run and reports: a time series, a monitor of ports, a table of one's own.
 *
 * An instrument is a part (RdmaPart): a subclass in a file of its own, with attributes and, if
 * wanted, short names. The option instruments of rdma-fabric takes any number of instruments. An
 * instrument changes nothing of the run that it watches.
 */
class RdmaInstrument : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * The fabric is built, the flows are installed, and the simulation has not begun.
     *
     * \param fabric the fabric
     * \param runner the flows; an RdmaFlowRunner if flows have queue pairs
     * \throws std::invalid_argument if the instrument cannot watch this run, RdmaFileError if a
     *         file cannot be written
     */
    virtual void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) = 0;

    /**
     * Prints what is known before the simulation. Called after Begin(); nothing by default.
     *
     * \param os is written to
     */
    virtual void PrintForecast(std::ostream& os);

    /**
     * The simulation is over.
     *
     * \throws RdmaFileError if a file could not be written
     */
    virtual void Finish();

    /**
     * Prints results after the table of flows. Called after Finish(); nothing by default.
     *
     * \param os is written to
     */
    virtual void Print(std::ostream& os) const;

    /**
     * \return true if the instrument gives right results where several ranks of MPI (RdmaRanks)
     *         share the fabric, each with an instrument of its own; false by default: a run over
     *         several ranks refuses the instrument
     */
    virtual bool WatchesRanks() const
    {
        return false;
    }
};

} // namespace ns3

#endif /* RDMA_INSTRUMENT_H */
