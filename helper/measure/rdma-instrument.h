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
 * Watches a run and reports on the run, for instance as a time series or a user-defined table.
 *
 * An instrument is a part (RdmaPart): a subclass in a file of its own, with attributes and, if
 * wanted, short names. The option instruments of rdma-fabric takes any number of instruments. An
 * instrument does not change the run.
 */
class RdmaInstrument : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Called when the fabric is built and the flows are installed, before the simulation.
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
     * \param os output stream
     */
    virtual void PrintForecast(std::ostream& os);

    /** Tells the instrument, before Finish(), that a signal has cut the run. */
    void SetCut()
    {
        m_isCut = true;
    }

    /**
     * \return true if a signal has cut the run. Files of a cut run have a name of their own
     *         (RdmaOutputFile::Close())
     */
    bool IsCut() const
    {
        return m_isCut;
    }

    /**
     * Called when the simulation is over.
     *
     * \throws RdmaFileError if a file could not be written
     */
    virtual void Finish();

    /**
     * Prints results after the table of flows. Called after Finish(); nothing by default.
     *
     * \param os output stream
     */
    virtual void Print(std::ostream& os) const;

    /**
     * \return true if the instrument gives correct results when several processes share the
     *         simulation, each with its own instrument (rdma-shared-run.h). By default false: such
     *         a run refuses the instrument
     */
    virtual bool SupportsSharedRuns() const
    {
        return false;
    }

  private:
    bool m_isCut{false}; //!< a signal has cut the run
};

} // namespace ns3

#endif /* RDMA_INSTRUMENT_H */
